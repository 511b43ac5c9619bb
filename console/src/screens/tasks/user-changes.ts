import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { rulesDiffer, type SchemaChange, schemaChanges } from './schema-changes.ts'

type Compared = Pick<
  TaskVersion,
  | 'input_schema'
  | 'input_instructions'
  | 'secret_slot_names'
  | 'requires_confirmation'
  | 'timeout_seconds'
  | 'environment_version_id'
>

/** One difference that people who run a task notice. */
export type UserChange =
  | { kind: 'field'; change: SchemaChange }
  /** The schemas differ in more than fields. */
  | { kind: 'schema' }
  | { kind: 'new_secrets' | 'dropped_secrets'; names: string[] }
  | { kind: 'confirmed' | 'not_confirmed' | 'instructions' | 'environment' }
  | { kind: 'timeout'; before: number; after: number }

/** The differences for who runs a newer version, the form first. */
export function userChanges(before: Compared, after: Compared): UserChange[] {
  const newSecrets = without(after.secret_slot_names, before.secret_slot_names)
  const droppedSecrets = without(before.secret_slot_names, after.secret_slot_names)
  return [
    ...formChanges(before.input_schema, after.input_schema),
    ...only(newSecrets.length > 0, { kind: 'new_secrets', names: newSecrets }),
    ...only(droppedSecrets.length > 0, { kind: 'dropped_secrets', names: droppedSecrets }),
    ...only(before.requires_confirmation !== after.requires_confirmation, {
      kind: after.requires_confirmation ? 'confirmed' : 'not_confirmed',
    }),
    ...only(before.timeout_seconds !== after.timeout_seconds, {
      kind: 'timeout',
      before: before.timeout_seconds,
      after: after.timeout_seconds,
    }),
    ...only(before.environment_version_id !== after.environment_version_id, { kind: 'environment' }),
    ...only(before.input_instructions !== after.input_instructions, { kind: 'instructions' }),
  ]
}

function formChanges(before: string | null, after: string | null): UserChange[] {
  if (sameJson(before, after)) return []
  const fields = schemaChanges(before, after) ?? []
  return [
    ...fields.map((change): UserChange => ({ kind: 'field', change })),
    ...only(fields.length === 0 || rulesDiffer(before, after), { kind: 'schema' }),
  ]
}

function sameJson(before: string | null, after: string | null): boolean {
  if (before === after) return true
  if (before === null || after === null) return false
  try {
    return JSON.stringify(JSON.parse(before)) === JSON.stringify(JSON.parse(after))
  } catch {
    return false
  }
}

const only = (is: boolean, change: UserChange): UserChange[] => (is ? [change] : [])

const without = (names: readonly string[], others: readonly string[]): string[] =>
  names.filter((name) => !others.includes(name))
