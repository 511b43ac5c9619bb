import {
  CommandPolicy,
  type OutputPolicy,
  WritebackPolicy,
} from '@sandbox-jobs/contract/resources/runs/output-policy.ts'
import type { TableField } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { Value } from 'typebox/value'
import { canonicalJson } from '../../base/json/canonical-json.ts'

/** The policy of a version's row: none, or an older form that nobody interprets, or one of today. */
export function storedPolicy(stored: unknown): OutputPolicy | 'none' | 'unknown' {
  if (stored === null || stored === undefined) return 'none'
  if (Value.Check(WritebackPolicy, stored)) return stored
  return Value.Check(CommandPolicy, stored) ? stored : 'unknown'
}

export const allowsUpdate = (policy: WritebackPolicy): boolean => policy.allowed_ops === 'create,update'

/** Whether the inputs of a policy are exactly those of the command, in their order. */
export const hasInputs = (policy: CommandPolicy, inputs: readonly TableField[]): boolean =>
  canonicalJson(policy.input_schema.map((input) => ({ required: false, ...input }))) ===
  canonicalJson(inputs.map(({ name, type, required }) => ({ name, type, required })))
