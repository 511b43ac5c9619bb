import { slotSetHash } from '../approvals/slot-set-hash.ts'

/* Which secret each slot of a run gets (contract part 3, D11). Nothing here reads or decrypts. */

/** All that decides it, as it is now. */
export interface SlotTerms {
  companyId: string
  taskId: string
  owner: { scope: string; id: string }
  /** Of the version. */
  digest: string
  room: { id: string; departmentId: string }
  slots: readonly string[]
  /** Of the share to the narrowest target that reaches the room. */
  policies: Readonly<Record<string, string>> | null
}

/** An active secret that some slot of the run might get. */
export interface Candidate {
  id: string
  consumerScope: string
  consumerId: string
  slotName: string
  generation: number
}

/** An active approval of the very digest, or one that covers the version as a next one. */
export interface ActiveApproval {
  id: string
  consumerScope: string
  consumerId: string
  slotSetHash: string
  isOfVersion: boolean
}

/** The secret that a slot gets, exactly. */
export interface SlotPin {
  secretId: string
  generation: number
  resolvedVia: 'borrower' | 'owner'
  consumerScope: string
  consumerId: string
  /** Null where none is needed: the consumer owns the task. */
  approvalId: string | null
  /** The approval was given for an earlier version. */
  isNextVersion: boolean
}

export type SlotResolution =
  | { kind: 'resolved'; pins: Record<string, SlotPin> }
  | { kind: 'missing'; slot: string; setBy: 'borrower' | 'owner' }
  /** An approval for these slots of the consumer, all and no others, is missing. */
  | { kind: 'unapproved'; consumerScope: string; consumerId: string; slots: string[] }

type Found = Omit<SlotPin, 'approvalId' | 'isNextVersion'>

/** A borrower's value is that of the narrowest consumer that has one; an approval has to name its slots, all and no others. */
export function resolveSlots(
  terms: SlotTerms,
  candidates: readonly Candidate[],
  /** Those of the very digest first. */
  approvals: readonly ActiveApproval[],
): SlotResolution {
  const found = new Map<string, Found>()
  for (const slot of terms.slots) {
    const secret = secretFor(terms, slot, candidates)
    if (!secret) {
      const setBy = policyOf(terms, slot) === 'owner' ? 'owner' : 'borrower'
      return { kind: 'missing', slot, setBy }
    }
    found.set(slot, secret)
  }
  const pins: Record<string, SlotPin> = {}
  for (const [slot, secret] of found) {
    const approval = approvalFor(terms, secret, { found, approvals })
    if (approval === undefined) {
      const { consumerScope, consumerId } = secret
      return { kind: 'unapproved', consumerScope, consumerId, slots: slotsFrom(secret, found) }
    }
    pins[slot] = {
      ...secret,
      approvalId: approval?.id ?? null,
      isNextVersion: approval?.isOfVersion === false,
    }
  }
  return { kind: 'resolved', pins }
}

const policyOf = ({ policies }: SlotTerms, slot: string): string =>
  (policies && Object.hasOwn(policies, slot) ? policies[slot] : undefined) ?? 'borrower'

function secretFor(terms: SlotTerms, slot: string, candidates: readonly Candidate[]): Found | undefined {
  const of = (scope: string, id: string, resolvedVia: 'borrower' | 'owner'): Found | undefined => {
    const secret = candidates.find(
      (one) => one.slotName === slot && one.consumerScope === scope && one.consumerId === id,
    )
    return (
      secret && {
        secretId: secret.id,
        generation: secret.generation,
        resolvedVia,
        consumerScope: scope,
        consumerId: id,
      }
    )
  }
  const { room, companyId, owner } = terms
  const borrowers = () =>
    of('chatroom', room.id, 'borrower') ??
    of('department', room.departmentId, 'borrower') ??
    of('company', companyId, 'borrower')
  const owners = () => of(owner.scope, owner.id, 'owner')
  switch (policyOf(terms, slot)) {
    case 'owner':
      return owners()
    case 'owner_overridable':
      return borrowers() ?? owners()
    default:
      return borrowers()
  }
}

const isFrom = (one: { consumerScope: string; consumerId: string }, other: typeof one): boolean =>
  one.consumerScope === other.consumerScope && one.consumerId === other.consumerId

/** The slots that get a value of the same borrower. */
const slotsFrom = (secret: Found, found: ReadonlyMap<string, Found>): string[] =>
  [...found].flatMap(([slot, other]) =>
    other.resolvedVia === 'borrower' && isFrom(other, secret) ? [slot] : [],
  )

/** Null where none is needed, undefined where it is missing. */
function approvalFor(
  { owner }: SlotTerms,
  secret: Found,
  { found, approvals }: { found: ReadonlyMap<string, Found>; approvals: readonly ActiveApproval[] },
): ActiveApproval | null | undefined {
  if (secret.resolvedVia === 'owner') return null
  if (isFrom(secret, { consumerScope: owner.scope, consumerId: owner.id })) return null
  const hash = slotSetHash(slotsFrom(secret, found))
  return approvals.find((approval) => isFrom(approval, secret) && approval.slotSetHash === hash)
}
