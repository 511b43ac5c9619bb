import { rowFiltersMax } from '@sandbox-jobs/contract/limits.ts'
import type { TableField, TableFieldType } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { rowComparisons } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import { instantOf } from './row-values.ts'

export type Comparison = (typeof rowComparisons)[number]

/** The subject of a condition or an order: a field, or a column that every row has. */
export type Operand =
  | { kind: 'field'; name: string; type: TableFieldType }
  | { kind: 'column'; name: 'created_at' | 'updated_at' | 'chatroom_id'; type: 'datetime' | 'text' }

export type RowCondition =
  | { operand: Operand; op: Comparison | 'contains'; value: string }
  | { operand: Operand; op: 'is'; value: 'null' | 'not_null' }

export interface RowOrder {
  operand: Operand
  descending: boolean
}

const columns: Operand[] = [
  { kind: 'column', name: 'created_at', type: 'datetime' },
  { kind: 'column', name: 'updated_at', type: 'datetime' },
  { kind: 'column', name: 'chatroom_id', type: 'text' },
]

function operandOf(fields: readonly TableField[], name: string): Operand | undefined {
  const field = fields.find((one) => one.name === name)
  if (field) return { kind: 'field', name, type: field.type }
  return columns.find((column) => column.name === name)
}

/** The conditions `field:operator:value` of a query. Throws what is wrong with them as a validation error. */
export function parseFilter(fields: readonly TableField[], texts: readonly string[] = []): RowCondition[] {
  if (texts.length > rowFiltersMax)
    throw invalid(['query', 'filter'], 'too_long', `may have at most ${rowFiltersMax} conditions`)
  return texts.map((text, at) => parseCondition(fields, text, ['query', 'filter', at]))
}

function parseCondition(fields: readonly TableField[], text: string, loc: (string | number)[]): RowCondition {
  const [, name = '', op = '', value = ''] = /^([^:]*):([^:]*):(.*)$/s.exec(text) ?? []
  const operand = operandOf(fields, name)
  if (!operand)
    throw invalid(loc, 'unknown_field', 'must be `field:operator:value` with a field of the table')
  if (op === 'is') {
    if (value !== 'null' && value !== 'not_null')
      throw invalid(loc, 'bad_value', 'must compare with null or not_null')
    return { operand, op, value }
  }
  if (op === 'contains' && operand.type === 'text') return { operand, op, value }
  if (!isComparison(op) || operand.type === 'json' || (operand.type === 'boolean' && !isEquality(op)))
    throw invalid(loc, 'bad_operator', 'has an operator that the field does not have')
  const compared = comparedValue(operand.type, value)
  if (compared === undefined) throw invalid(loc, 'bad_value', `must compare with a value of ${operand.type}`)
  return { operand, op, value: compared }
}

const isComparison = (op: string): op is Comparison => (rowComparisons as readonly string[]).includes(op)
const isEquality = (op: Comparison) => op === 'eq' || op === 'ne'

const numberPattern = /^-?\d{1,30}(\.\d{1,30})?$/

function comparedValue(type: TableFieldType, text: string): string | undefined {
  if (type === 'integer' || type === 'number') return numberPattern.test(text) ? text : undefined
  if (type === 'boolean') return text === 'true' || text === 'false' ? text : undefined
  if (type === 'datetime') return instantOf(text)
  return text
}

/** The order `field` or `-field`; undefined: the order of creation. */
export function parseSort(fields: readonly TableField[], text: string | undefined): RowOrder | undefined {
  if (text === undefined) return undefined
  const descending = text.startsWith('-')
  const operand = operandOf(fields, descending ? text.slice(1) : text)
  if (!operand || operand.type === 'json')
    throw invalid(['query', 'sort'], 'unknown_field', 'must name a field that has an order')
  return { operand, descending }
}
