import { tableFieldsMax } from '@sandbox-jobs/contract/limits.ts'
import {
  rowColumns,
  type TableField,
  type TableFieldRequest,
} from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'

/** The declared fields with their defaults, after those that there are. Throws for names that are taken. */
export function declaredFields(
  requested: readonly TableFieldRequest[],
  before: readonly TableField[] = [],
): TableField[] {
  const taken = new Set<string>([...rowColumns, ...before.map(({ name }) => name)])
  for (const [at, { name }] of requested.entries()) {
    if (taken.has(name)) throw invalid(['body', 'fields', at, 'name'], 'not_unique', 'is taken')
    taken.add(name)
  }
  if (before.length + requested.length > tableFieldsMax)
    throw new CodedError('custom_table_limit_reached', { limit: tableFieldsMax })
  return requested.map(({ name, type, required = false }) => ({ name, type, required }))
}
