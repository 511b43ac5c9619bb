import type { SecretSlotStatus } from '@sandbox-jobs/contract/resources/secret-slot.ts'
import { slotNamesOf } from './task-version.ts'

/**
 * What a room may know of a version's slots. A slot without a policy is the borrower's; until a value is bound on
 * one side, a run would find none.
 */
export const secretSlotsOf = (
  declarations: readonly unknown[] | null,
  policies: Record<string, string> | null,
): SecretSlotStatus[] =>
  slotNamesOf(declarations).map((name) => ({
    name,
    policy: (policies?.[name] ?? 'borrower') as SecretSlotStatus['policy'],
    borrower_bound: false,
    owner_bound: false,
    effective_source: 'missing',
  }))
