import { type RawBuilder, sql } from 'kysely'
import type { Database, Trx } from '../../db/database.ts'
import type { Comparison, Operand, RowCondition, RowOrder } from './row-filter.ts'
import type { StoredRow } from './table-row-store.ts'

/* Lists rows of a table. Conditions and orders of fields have no index: one query reads at most the rows of one table. */

export interface RowQuery {
  companyId: string
  tableId: string
  conditions: readonly RowCondition[]
  order?: RowOrder | undefined
  /** The last row of the previous page. */
  after?: RowPosition | undefined
  limit: number
}

export interface RowPosition {
  id: string
  /** Text of the value that the list is ordered by; null: it had none. */
  sortKey: string | null
}

export type ListedRow = StoredRow & { sort_key: string | null }

const types: Record<Operand['type'], string> = {
  text: 'text',
  integer: 'numeric',
  number: 'double precision',
  boolean: 'boolean',
  datetime: 'text',
  json: 'jsonb',
}

const typeOf = ({ kind, type }: Operand) =>
  sql.raw(kind === 'column' && type === 'datetime' ? 'timestamptz' : types[type])

function expressionOf(operand: Operand): RawBuilder<unknown> {
  if (operand.kind === 'column') return sql`r.${sql.ref(operand.name)}`
  const { name, type } = operand
  const isText = types[type] === 'text'
  const value = isText
    ? sql`(r."values" ->> ${name}::text)`
    : sql`(r."values" -> ${name}::text)::${typeOf(operand)}`
  return isText ? sql`${value} collate "C"` : sql`(${value})`
}

/** Texts are ordered by their first characters, so that a page token has room for the last one. */
const orderedCharacters = 48

const orderExpressionOf = (operand: Operand): RawBuilder<unknown> =>
  operand.type === 'text'
    ? sql`left(${expressionOf(operand)}, ${sql.lit(orderedCharacters)}) collate "C"`
    : expressionOf(operand)

const operators: Record<Comparison, string> = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }

function conditionOf({ operand, op, value }: RowCondition): RawBuilder<unknown> {
  const of = expressionOf(operand)
  if (op === 'is') return value === 'null' ? sql`${of} is null` : sql`${of} is not null`
  if (op === 'contains') return sql`strpos(lower(${of}), lower(${value})) > 0`
  // A row without a value is different from any value.
  if (op === 'ne') return sql`${of} is distinct from ${value}::${typeOf(operand)}`
  return sql`${of} ${sql.raw(operators[op])} ${value}::${typeOf(operand)}`
}

/** Rows after the position, in the order of the list: those without a value last. */
function afterPosition(order: RowOrder | undefined, { id, sortKey }: RowPosition): RawBuilder<unknown> {
  if (!order) return sql`r.id > ${id}`
  const of = orderExpressionOf(order.operand)
  if (sortKey === null) return sql`(${of} is null and r.id > ${id})`
  const key = sql`${sortKey}::${typeOf(order.operand)}`
  const beyond = sql.raw(order.descending ? '<' : '>')
  return sql`(${of} ${beyond} ${key} or (${of} = ${key} and r.id > ${id}) or ${of} is null)`
}

const orderBy = (order: RowOrder | undefined): RawBuilder<unknown> => {
  if (!order) return sql`r.id`
  const of = orderExpressionOf(order.operand)
  return sql`${of} is null, ${of} ${sql.raw(order.descending ? 'desc' : 'asc')}, r.id`
}

/** One page, within the time limit of the transaction. */
export async function queryRows(db: Trx, query: RowQuery): Promise<ListedRow[]> {
  const { order, after } = query
  const conditions = [
    sql`r.company_id = ${query.companyId}`,
    sql`r.table_id = ${query.tableId}`,
    ...query.conditions.map(conditionOf),
    ...(after ? [afterPosition(order, after)] : []),
  ]
  const { rows } = await sql<ListedRow>`
    select r.*, ${order ? sql`(${orderExpressionOf(order.operand)})::text` : sql`null::text`} as sort_key
    from custom_table_rows r where ${sql.join(conditions, sql` and `)}
    order by ${orderBy(order)} limit ${query.limit}
  `.execute(db)
  return rows
}

/** Executes `work` in a transaction whose statements end after some time. */
export const withTimeLimit = <T>(db: Database, ms: number, work: (trx: Trx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${`${ms}`}, true)`.execute(trx)
    return work(trx)
  })
