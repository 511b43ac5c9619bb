import type {
  TableCommand,
  TableCommandCreateRequest,
} from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'

/** A command as it is typed. */
export interface CommandDraft {
  name: string
  description: string
  mode: TableCommand['mode']
  authority: TableCommand['authority']
  /** The fields that are inputs, by name, and how each is used. */
  inputs: Readonly<Record<string, InputUse>>
  /** The company, department or room whose people may use it, as `scope:identifier`. */
  grant: string
}

/** `identity`: it names the row, and is required. */
export type InputUse = 'optional' | 'required' | 'identity'

export const emptyCommand: CommandDraft = {
  name: '',
  description: '',
  mode: 'write',
  authority: 'definition',
  inputs: {},
  grant: '',
}

export const draftOfCommand = (command: TableCommand): CommandDraft => ({
  name: command.name,
  description: command.description,
  mode: command.mode,
  authority: command.authority,
  inputs: Object.fromEntries(
    command.inputs.map(({ name, required }) => [
      name,
      command.effect_identity?.includes(name) ? 'identity' : required ? 'required' : 'optional',
    ]),
  ),
  grant: grantOf(command.granted_scope, command.granted_id),
})

export const grantOf = (scope: string, id: string): string => `${scope}:${id}`

export const isCommandComplete = ({ name, inputs, grant }: CommandDraft): boolean =>
  name.trim() !== '' && Object.keys(inputs).length > 0 && grant !== ''

/** The same as the API takes it. Inputs have the order of the fields. A command that reads has no identity. */
export function bodyOfCommand(
  { grant, inputs, ...draft }: CommandDraft,
  fields: readonly TableField[],
): TableCommandCreateRequest {
  const used = fields.flatMap(({ name, type }) => {
    const use = Object.hasOwn(inputs, name) ? inputs[name] : undefined
    return use === undefined ? [] : [{ name, type, use }]
  })
  const identity = draft.mode === 'write' ? used.filter(({ use }) => use === 'identity') : []
  const at = grant.indexOf(':')
  return {
    ...draft,
    inputs: used.map(({ name, type, use }) => ({ name, type, required: use !== 'optional' })),
    effect_identity: identity.length > 0 ? identity.map(({ name }) => name) : null,
    granted_scope: grant.slice(0, at) as TableCommandCreateRequest['granted_scope'],
    granted_id: grant.slice(at + 1),
  }
}
