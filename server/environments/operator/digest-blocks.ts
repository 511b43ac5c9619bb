import { environmentVersionMachine } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sourcesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import type { Database, Trx } from '../../db/database.ts'
import {
  type BlockedDigest,
  deleteBlock,
  hasBlockedDigest,
  insertBlock,
  listBlocks,
  listVersionsOfDigest,
  lockVersionOfAnyCompany,
  setSecurityState,
} from '../catalogue/digest-block-store.ts'
import { transitionVersion } from '../versions/version-transitions.ts'

/*
 * Blocks and unblocks an image, in all companies.
 *
 * The digest is stored first, in its own transaction; from then on no version becomes ready with it. Then each
 * version with the digest is blocked, one at a time. A version that becomes ready concurrently either sees the stored
 * digest, or holds its row lock until it is ready and is then found by this loop. If the command is interrupted,
 * repeating it finishes the work.
 */

export interface DigestBlock {
  digest: string
  reason: string
  /** Whether the version has an active build. */
  isBeingBuilt: (trx: Trx, versionId: string) => Promise<boolean>
}

/** Blocks an image by the digest of its layer, its manifest or its composition with a runner. Returns the versions. */
export async function blockDigest(db: Database, order: DigestBlock): Promise<string[]> {
  await insertBlock(db, order.digest, order.reason)
  const ids = await listVersionsOfDigest(db, order.digest)
  for (const id of ids) await db.transaction().execute((trx) => block(trx, id, order))
  return ids
}

/** Restores the previous states of the versions. Undefined if the digest is not blocked. */
export async function unblockDigest(db: Database, digest: string): Promise<string[] | undefined> {
  const wasBlocked = await deleteBlock(db, digest)
  const ids = await listVersionsOfDigest(db, digest)
  const released: string[] = []
  for (const id of ids) {
    if (await db.transaction().execute((trx) => release(trx, id))) released.push(id)
  }
  return wasBlocked || released.length > 0 ? released : undefined
}

export const listBlockedDigests = (db: Database): Promise<BlockedDigest[]> => listBlocks(db)

/**
 * A version with an active build keeps its state, because the build's transitions need it. Those transitions end in
 * `blocked`, so no run starts.
 */
async function block(trx: Trx, id: string, { isBeingBuilt }: DigestBlock): Promise<void> {
  const { state, company_id } = await lockVersionOfAnyCompany(trx, id)
  await setSecurityState(trx, id, 'blocked')
  const mayMove = sourcesOf(environmentVersionMachine, 'blocked').includes(state)
  if (mayMove && !(await isBeingBuilt(trx, id))) {
    await transitionVersion(trx, { id, company_id }, { to: 'blocked', set: { blocked_from: state } })
  }
}

/** False if the version was not blocked, or another of its digests still is. */
async function release(trx: Trx, id: string): Promise<boolean> {
  const { company_id, state, security_state, blocked_from } = await lockVersionOfAnyCompany(trx, id)
  if (security_state === 'clear' || (await hasBlockedDigest(trx, { id, company_id }))) return false
  await setSecurityState(trx, id, 'clear')
  if (state === 'blocked' && blocked_from) {
    await transitionVersion(trx, { id, company_id }, { to: blocked_from, set: { blocked_from: null } })
  }
  return true
}
