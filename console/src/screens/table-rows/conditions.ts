import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableFieldType } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { rowComparisons } from '@sandbox-jobs/contract/resources/tables/table-row.ts'

export type Operator = (typeof rowComparisons)[number] | 'contains' | 'is'

/** A field or a column that a condition or an order names. */
export interface Operand {
  name: string
  type: TableFieldType
}

export interface Condition {
  name: string
  op: Operator
  value: string
}

const operators: Record<TableFieldType, readonly Operator[]> = {
  text: ['contains', ...rowComparisons, 'is'],
  integer: [...rowComparisons, 'is'],
  number: [...rowComparisons, 'is'],
  datetime: [...rowComparisons, 'is'],
  boolean: ['eq', 'ne', 'is'],
  json: ['is'],
}

export const operatorsOf = (type: TableFieldType): readonly Operator[] => operators[type]

/** The fields of a table, and the columns that every row has. */
export const operandsOf = ({
  fields,
  channel_rule,
}: Pick<CustomTable, 'fields' | 'channel_rule'>): Operand[] => [
  ...fields,
  { name: 'created_at', type: 'datetime' },
  { name: 'updated_at', type: 'datetime' },
  ...(channel_rule ? [{ name: 'chatroom_id', type: 'text' } as const] : []),
]

/** The condition as the API takes it. A time is typed where the person is. */
export function textOfCondition({ name, op, value }: Condition, type: TableFieldType): string {
  const isTime = type === 'datetime' && op !== 'is' && !Number.isNaN(Date.parse(value))
  return `${name}:${op}:${isTime ? new Date(value).toISOString() : value}`
}

/** The parts of a condition of the address, in which a value may have further colons. */
export function partsOfCondition(text: string): { name: string; op: string; value: string } {
  const [name = '', op = '', ...value] = text.split(':')
  return { name, op, value: value.join(':') }
}
