import { settleAll } from '../../../base/settle-all.ts'
import type { Database } from '../../../db/database.ts'
import { KeysUnavailable, type WrappingKeys } from '../../../secrets/keys/wrapping-keys.ts'
import { openSecrets } from '../../../secrets/resolve/open-secrets.ts'
import { resolveSlots, type SlotResolution } from '../../../secrets/resolve/slot-resolution.ts'
import { ValueDamaged } from '../../../secrets/store/sealed-value.ts'
import type { ClaimedRun } from '../../model/claimed-run.ts'
import { failed, type RunOutcome } from '../../model/run-outcome.ts'
import type { StartChange } from '../run-part.ts'
import { findSecretTerms, type PinnedSlot, type SecretTerms, writePins } from './secret-terms-store.ts'

/*
 * The secrets of a run (contract part 3, D11): resolved when it is prepared, pinned exactly, and compared with what would be
 * resolved directly before its sandbox starts. A value that was revoked, or whose approval or share has ended, ends the run;
 * one that was rotated has it queued again, so that a run never gets a part of one state and a part of another. The values
 * are in this process alone and go to the executor through the pipe of the program's input.
 */

type Pins = Readonly<Record<string, PinnedSlot>>

export interface PinnedSecrets {
  values: Readonly<Record<string, string>>
  slots: readonly string[]
  pins: Pins
  /** Resolves when the pins are durable: the commit takes as long as all that follows before the start. */
  written: Promise<void>
}

export interface RunSecrets {
  /** The values of a claimed run, or why it ends. Throws when the database or the keys are unavailable. */
  pin(run: ClaimedRun, slots: readonly string[]): Promise<PinnedSecrets | RunOutcome>
  /** The change of a run that may no longer start with them. The pins are durable then. Throws `ClaimLost`. */
  recheck(run: ClaimedRun, secrets: PinnedSecrets): Promise<StartChange | undefined>
}

export const isPinned = (result: PinnedSecrets | RunOutcome): result is PinnedSecrets => 'values' in result

/** As long as a start takes: what was found this long ago is looked up again. */
const staleMs = 20

/** A secret may be rotated between its look-up and the reading of its value. */
const attemptsMax = 3

export class StoredRunSecrets implements RunSecrets {
  readonly #db: Database
  readonly #keys: WrappingKeys

  constructor(db: Database, keys: WrappingKeys) {
    this.#db = db
    this.#keys = keys
  }

  async pin(run: ClaimedRun, slots: readonly string[]): Promise<PinnedSecrets | RunOutcome> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const found = await this.#resolve(run, slots)
      if ('state' in found) return found
      const written = writePins(this.#db, run, found.pins)
      // A failure is thrown to whoever awaits it later.
      written.catch(() => undefined)
      const [opened] = await Promise.allSettled([this.#open(run, found.terms, found.pins)])
      const values = opened.status === 'fulfilled' && opened.value
      if (values && values !== 'damaged') return { values, slots, pins: found.pins, written }
      // Before another attempt replaces the pins.
      await written
      if (opened.status === 'rejected') throw opened.reason
      if (values === 'damaged') return failed('secrets_unavailable', { detail: 'value_damaged' })
    }
    return failed('secrets_unavailable', { detail: 'changed_too_often' })
  }

  async recheck(run: ClaimedRun, { slots, pins, written }: PinnedSecrets): Promise<StartChange | undefined> {
    const lookedAtMs = performance.now()
    const [early] = await settleAll([
      this.#resolve(run, slots),
      written.catch(() => writePins(this.#db, run, pins)),
    ])
    // A slow disk: what was found is no more how it is directly before the start.
    const isStale = performance.now() - lookedAtMs > staleMs
    const found = isStale ? await this.#resolve(run, slots) : early
    if ('state' in found) return found
    const shareOf = (of: Pins) => Object.values(of)[0]
    const [before, now] = [shareOf(pins), shareOf(found.pins)]
    if (before?.shareId !== now?.shareId || before?.shareGeneration !== now?.shareGeneration)
      return failed('share_grant_revoked')
    return isSame(pins, found.pins) ? undefined : 'requeue'
  }

  async #resolve(
    run: ClaimedRun,
    slots: readonly string[],
  ): Promise<{ terms: SecretTerms; pins: Pins } | RunOutcome> {
    const terms = await findSecretTerms(this.#db, run, slots)
    if (!terms) return failed('authority_revoked', { detail: 'chatroom' })
    if (terms.lost_authority === 'share_grant') return failed('share_grant_revoked')
    if (terms.lost_authority) return failed('authority_revoked', { detail: terms.lost_authority })
    const { share, candidates, approvals } = terms
    const slotTerms = {
      companyId: run.companyId,
      taskId: terms.task_id,
      owner: { scope: terms.owner_scope, id: terms.owner_id },
      digest: terms.canonical_digest,
      room: { id: terms.room_id, departmentId: terms.department_id },
      slots,
      policies: share?.policies ?? null,
    }
    const resolution = resolveSlots(slotTerms, candidates, approvals)
    if (resolution.kind !== 'resolved') return outcomeOfResolution(resolution)
    const by = { shareId: share?.id ?? null, shareGeneration: share?.generation ?? null }
    const pinned = Object.entries(resolution.pins).map(([slot, pin]) => [slot, { ...pin, ...by }] as const)
    return { terms, pins: Object.fromEntries(pinned) }
  }

  async #open(
    run: ClaimedRun,
    terms: SecretTerms,
    pins: Pins,
  ): Promise<Record<string, string> | undefined | 'damaged'> {
    try {
      const tools = { db: this.#db, keys: this.#keys }
      return await openSecrets(tools, { companyId: run.companyId, taskId: terms.task_id }, pins)
    } catch (error) {
      if (error instanceof ValueDamaged) return 'damaged'
      throw error
    }
  }
}

/** How a run ends whose keys stayed unavailable; undefined for other errors. */
export const outcomeOfKeys = (error: unknown): RunOutcome | undefined =>
  error instanceof KeysUnavailable ? failed('secrets_unavailable', { detail: 'keys' }) : undefined

function outcomeOfResolution(resolution: Exclude<SlotResolution, { kind: 'resolved' }>): RunOutcome {
  if (resolution.kind === 'missing') {
    const named = `${resolution.setBy}:${resolution.slot}`
    return failed('secret_missing', { detail: named.length <= detailMaxLength ? named : resolution.slot })
  }
  const { consumerScope, consumerId } = resolution
  return failed('secret_approval_required', { detail: `${consumerScope}:${consumerId}` })
}

const detailMaxLength = 128

function isSame(one: Pins, other: Pins): boolean {
  const slots = Object.keys(one)
  return (
    slots.length === Object.keys(other).length &&
    slots.every((slot) => {
      const [a, b] = [one[slot], other[slot]]
      return a?.secretId === b?.secretId && a?.generation === b?.generation && a?.approvalId === b?.approvalId
    })
  )
}
