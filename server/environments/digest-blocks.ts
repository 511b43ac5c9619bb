import { environmentVersionMachine } from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sourcesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import type { Database, Trx } from '../db/database.ts'
import {
  type BlockedDigest,
  deleteBlock,
  hasBlockedDigest,
  holdVersion,
  insertBlock,
  isBeingBuilt,
  listBlocks,
  listVersionsOfDigest,
  setSecurityState,
} from './digest-block-store.ts'
import { moveVersion } from './version-moves.ts'

/*
 * The operator's word that an image runs no more, whichever company has it, and its release.
 *
 * The digest is written down first and by itself; from then on no version becomes ready with it. Then the versions
 * that have it are gone through one by one. A version that becomes ready meanwhile either finds the digest written
 * down, or holds its row until it is ready, and is found so here. What was cut short is finished by saying it again.
 */

/** Stops the image of a digest: of its layer, its manifest or its composition with a runner. Answers the versions. */
export async function blockDigest(db: Database, digest: string, reason: string): Promise<string[]> {
  await insertBlock(db, digest, reason)
  const ids = await listVersionsOfDigest(db, digest)
  for (const id of ids) await db.transaction().execute((trx) => block(trx, id))
  return ids
}

/** Gives the versions of it the state back that they had. Undefined: the digest is not blocked. */
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

/** A version whose build is under way keeps its state: the build's moves need it, and end where no run starts. */
async function block(trx: Trx, id: string): Promise<void> {
  const { state, company_id } = await holdVersion(trx, id)
  await setSecurityState(trx, id, 'blocked')
  const mayMove = sourcesOf(environmentVersionMachine, 'blocked').includes(state)
  if (mayMove && !(await isBeingBuilt(trx, id))) {
    await moveVersion(trx, { id, company_id }, { to: 'blocked', set: { blocked_from: state } })
  }
}

/** False: it was not blocked, or another of its digests still is. */
async function release(trx: Trx, id: string): Promise<boolean> {
  const { company_id, state, security_state, blocked_from } = await holdVersion(trx, id)
  if (security_state === 'clear' || (await hasBlockedDigest(trx, { id, company_id }))) return false
  await setSecurityState(trx, id, 'clear')
  if (state === 'blocked' && blocked_from) {
    await moveVersion(trx, { id, company_id }, { to: blocked_from, set: { blocked_from: null } })
  }
  return true
}
