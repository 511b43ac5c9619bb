import type { SecretSlotStatus } from '@sandbox-jobs/contract/resources/tasks/secret-slot.ts'
import type { BoundSlots } from '../../secrets/resolve/bound-slots.ts'
import { slotNamesOf } from './task-version.ts'

/**
 * The slots of a version as shown to a room: which sides have a value, and which would supply it to a run submitted
 * now.
 */
export const secretSlotsOf = (
  declarations: readonly unknown[] | null,
  policies: Record<string, string> | null,
  bound: BoundSlots,
): SecretSlotStatus[] =>
  slotNamesOf(declarations).map((name) => {
    const policy = (policies?.[name] ?? 'borrower') as SecretSlotStatus['policy']
    const status = { borrower_bound: bound.borrower.has(name), owner_bound: bound.owner.has(name) }
    return { name, policy, ...status, effective_source: sourceOf(policy, status) }
  })

type Bound = Pick<SecretSlotStatus, 'borrower_bound' | 'owner_bound'>

function sourceOf(policy: SecretSlotStatus['policy'], bound: Bound): SecretSlotStatus['effective_source'] {
  if (policy !== 'owner' && bound.borrower_bound) return 'borrower'
  return policy !== 'borrower' && bound.owner_bound ? 'owner' : 'missing'
}

/** Shown if a run would receive values of the borrower (contract part 1, "Menu item"). */
export const secretUseRiskWarning = (slots: readonly SecretSlotStatus[]): string | null =>
  slots.some(({ effective_source: source }) => source === 'borrower') ? riskWarning : null

const riskWarning =
  'Runs of this task get secrets of this room, its department or its company. The code of the task can read them and send them elsewhere: use it only if you trust its owner with them.'
