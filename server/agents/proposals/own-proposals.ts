import { endedProposalLifetimeSeconds } from '@sandbox-jobs/contract/limits.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import { inBatches } from '../../work/sweep.ts'
import {
  deleteEndedProposals,
  findPendingProposals,
  listExpiredProposals,
  moveProposal,
  type ProposalRow,
} from './proposal-store.ts'

/** Reads pending proposals, batched over concurrent requests, because agents poll them. */
export class PendingProposals {
  readonly #clock: Clock
  readonly #proposals: Batcher<Principal, ProposalRow[]>

  constructor({ db, clock }: { db: Database; clock: Clock }) {
    this.#clock = clock
    this.#proposals = new Batcher((principals) => findPendingProposals(db, principals))
  }

  /** The proposals that wait for the principal's confirmation, in one room or in all. */
  async of(principal: Principal, roomId?: string): Promise<ProposalRow[]> {
    const now = this.#clock.now()
    const rows = (await this.#proposals.add(principal)) ?? []
    return rows.filter((row) => row.expires_at > now && (roomId === undefined || row.chatroom_id === roomId))
  }
}

/** Cancels a prepared proposal. False: it is not prepared any more. */
export const cancelProposal = ({ db }: { db: Database }, row: ProposalRow): Promise<boolean> =>
  moveProposal(db, row, { to: 'cancelled', from: ['prepared'] })

const sweepBatch = 500

/** One round of the loop that ends proposals after their time, and deletes those that ended a day ago. */
export async function sweepProposals({
  db,
  clock,
}: {
  db: Database
  clock: Clock
}): Promise<{ expired: number; deleted: number }> {
  const now = clock.now()
  const expired = await inBatches(sweepBatch, async (limit) => {
    const rows = await listExpiredProposals(db, now, limit)
    for (const row of rows) await moveProposal(db, row, { to: 'expired', from: ['prepared'] })
    return rows.length
  })
  const before = new Date(now.getTime() - endedProposalLifetimeSeconds * 1000)
  return { expired, deleted: await inBatches(sweepBatch, (limit) => deleteEndedProposals(db, before, limit)) }
}
