import { signedHeadText } from '@sandbox-jobs/contract/audit/chain-check.ts'
import { type Clock, dayMs, sleep } from '../../base/clock.ts'
import type { SigningKeys } from '../../base/keys/signing-keys.ts'
import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import { type Sweep, startSweep } from '../../work/sweep.ts'
import { startTicker } from '../../work/ticker.ts'
import {
  chainEntries,
  type Kept,
  listChainsToTrim,
  listUnsignedChains,
  saveHead,
  trimEntries,
} from './audit-chain-store.ts'

/*
 * The loops of the worker that keep the audit log.
 *
 *   1. A change writes a row of `audit_pending` in its own transaction (triggers of migration 0210).
 *   2. `chainAudit` moves committed rows into the chain of their company. A row of a transaction that commits later is
 *      moved later: nothing depends on the order of numbers, since a moved row is deleted in the same transaction.
 *   3. `signHeads` signs the end of each chain that grew. The key is the worker's, outside of the database.
 *   4. `trimAudit` removes entries whose time is over; the chain keeps the hash of the last one and says so in an entry.
 */

const chainBatch = 2000
const chainEveryMs = 1000
const headsPerRound = 200
const headsEveryMs = 10_000
const trimBatch = 5000
/** Of one company in a round: more than a company can add between two rounds. */
const trimBatchesMax = 100
/** Between two batches, so that new entries are chained meanwhile. */
const trimPauseMs = 50
const trimEveryMs = 600_000

/** Chains what waits, until nothing does or the signal fires. Returns the number of entries. */
export async function chainAudit(db: Database, signal?: AbortSignal): Promise<number> {
  for (let total = 0; ; ) {
    const moved = await chainEntries(db, chainBatch)
    total += moved
    if (moved < chainBatch || signal?.aborted) return total
  }
}

export interface SignHeadsDeps {
  db: Database
  signing: Pick<SigningKeys, 'sign'>
  clock: Clock
}

/** One round: signs the heads of chains that grew. */
export async function signHeads({ db, signing, clock }: SignHeadsDeps): Promise<{ heads: number }> {
  const chains = await listUnsignedChains(db, headsPerRound)
  for (const { company_id, sequence, hash } of chains) {
    const signed_at = clock.now()
    const text = signedHeadText(company_id, { sequence, hash: hash.toString('hex') }, signed_at.getTime())
    const { keyId, bytes } = signing.sign(Buffer.from(text))
    await saveHead(db, { company_id, sequence, hash, signed_at, key_id: keyId, signature: bytes })
  }
  return { heads: chains.length }
}

export interface AuditRetention {
  days: number
  /** Entries of one chain. */
  entries: number
}

/** One round over the chains with entries beyond what is kept. */
export async function trimAudit(
  { db, clock }: { db: Database; clock: Clock },
  { days, entries }: AuditRetention,
): Promise<{ removed: number }> {
  const kept: Kept = { from: new Date(clock.now().getTime() - days * dayMs), entries }
  let removed = 0
  for (const companyId of await listChainsToTrim(db, kept)) removed += await trimChain(db, companyId, kept)
  return { removed }
}

async function trimChain(db: Database, companyId: string, kept: Kept): Promise<number> {
  let removed = 0
  for (let batch = 0; batch < trimBatchesMax; batch += 1) {
    const count = await trimEntries(db, companyId, { kept, limit: trimBatch })
    removed += count
    if (count < trimBatch) break
    await sleep(trimPauseMs)
  }
  return removed
}

export function startAuditLoops(deps: SignHeadsDeps & { log: Log; retention: AuditRetention }): Sweep {
  const { db, log, retention } = deps
  const loops = [
    startTicker({
      name: 'audit log',
      tick: (signal) => chainAudit(db, signal),
      intervalMs: chainEveryMs,
      log,
    }),
    startTicker({ name: 'audit heads', tick: () => signHeads(deps), intervalMs: headsEveryMs, log }),
    startSweep({
      name: 'audit retention',
      everyMs: trimEveryMs,
      runOnce: () => trimAudit(deps, retention),
      log,
    }),
  ]
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) }
}
