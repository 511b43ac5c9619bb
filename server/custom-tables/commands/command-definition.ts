import type {
  TableCommand,
  TableCommandCreateRequest,
  TableCommandUpdateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { Room } from '../../access/directory/directory.ts'
import { invalid } from '../../base/errors/validation-error.ts'
import type { TableRecord } from '../catalogue/custom-table-store.ts'
import { declaredFields } from '../catalogue/table-fields.ts'
import type { CommandContent, CommandRow } from './table-command-store.ts'

/** The definition of a command, with defaults, or with what a change leaves as it is. */
export type CommandDefinition = Pick<
  CommandRow,
  | 'name'
  | 'description'
  | 'inputs'
  | 'mode'
  | 'authority'
  | 'effect_identity'
  | 'granted_scope'
  | 'granted_id'
>

export const newDefinition = (request: TableCommandCreateRequest): CommandDefinition => ({
  name: request.name,
  description: request.description ?? '',
  inputs: declaredFields(request.inputs),
  mode: request.mode ?? 'write',
  authority: request.authority ?? 'definition',
  effect_identity: request.effect_identity ?? null,
  granted_scope: request.granted_scope,
  granted_id: request.granted_id,
})

export const changedDefinition = (
  before: CommandDefinition,
  { inputs, ...request }: TableCommandUpdateRequest,
): CommandDefinition => ({
  ...before,
  ...Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)),
  ...(inputs && { inputs: declaredFields(inputs) }),
})

/** Throws what does not fit the table as a validation error: its inputs are fields, its identity names some of them. */
export function checkDefinition(table: TableRecord, definition: CommandDefinition): void {
  const fields = new Map(table.fields.map((field) => [field.name, field]))
  for (const [at, { name, type }] of definition.inputs.entries()) {
    const loc = ['body', 'inputs', at]
    const field = fields.get(name)
    if (!field) throw invalid([...loc, 'name'], 'unknown_field', 'must be a field of the table')
    if (field.type !== type) throw invalid([...loc, 'type'], 'type_mismatch', 'must be the type of the field')
  }
  const { effect_identity: identity, mode, inputs } = definition
  if (identity === null) return
  const loc = ['body', 'effect_identity']
  if (mode === 'read') throw invalid(loc, 'not_allowed', 'belongs to commands that write')
  const required = new Set(inputs.filter((input) => input.required).map(({ name }) => name))
  if (!identity.every((name) => required.has(name)))
    throw invalid(loc, 'unknown_input', 'must name required inputs')
}

export const contentOf = (definition: CommandDefinition): CommandContent => ({
  ...definition,
  inputs: JSON.stringify(definition.inputs),
})

/** Whether the room may use the command. */
export const isGrantedTo = (
  { granted_scope, granted_id }: Pick<CommandRow, 'granted_scope' | 'granted_id'>,
  room: Room,
): boolean =>
  granted_id ===
  { chatroom: room.id, department: room.department_id, company: room.company_id }[granted_scope]

export const renderCommand = (row: CommandRow): TableCommand => ({
  id: row.id,
  company_id: row.company_id,
  table_id: row.table_id,
  name: row.name,
  description: row.description,
  revision: row.revision,
  inputs: row.inputs,
  mode: row.mode,
  authority: row.authority,
  effect_identity: row.effect_identity,
  granted_scope: row.granted_scope,
  granted_id: row.granted_id,
  state: row.state,
  created_at: row.created_at.toISOString(),
})
