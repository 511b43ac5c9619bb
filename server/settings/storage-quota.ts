import { join } from 'node:path'
import { uncoded } from '@sandbox-jobs/contract/errors/uncoded.ts'
import type { StorageUse } from '@sandbox-jobs/contract/resources/storage-use.ts'
import { CodedError } from '../base/coded-error.ts'
import type { Config } from '../base/config.ts'
import { PlainError } from '../base/plain-error.ts'
import type { Database, Executing } from '../db/database.ts'
import { isRestricted, managesCompany, type Principal } from '../platform/principal.ts'
import { inBatches } from '../queue/in-batches.ts'
import { defaultCompanyBytes, diskOf } from '../storage/free-space.ts'
import {
  foldKeptBytes,
  type KeptRoom,
  listKeptKinds,
  readKeptRoom,
  setDefaultBytes,
} from './kept-bytes-store.ts'

export type { KeptRoom } from './kept-bytes-store.ts'

/*
 * The bytes that a company keeps on disk, and the bound that the operator sets. Nothing of a company is removed to make
 * room: what would go beyond the bound is refused, when it is submitted or uploaded, when a run is about to start, and
 * when a run has ended and left more than there is room for.
 */

/** Throws 409 `storage_quota_exceeded` where so many more bytes have no room. */
export function checkRoom({ keptBytes, limitBytes }: KeptRoom, moreBytes: number): void {
  if (limitBytes === null || (keptBytes < limitBytes && keptBytes + moreBytes <= limitBytes)) return
  throw new CodedError('storage_quota_exceeded', { kept_bytes: keptBytes, limit_bytes: limitBytes })
}

/** The same of a company as it stands. */
export async function requireRoom(db: Executing, companyId: string, moreBytes: number): Promise<void> {
  checkRoom(await readKeptRoom(db, companyId), moreBytes)
}

/** Bytes that a company may keep beyond what it keeps; null: without bound. */
export async function roomLeft(db: Executing, companyId: string): Promise<number | null> {
  const { keptBytes, limitBytes } = await readKeptRoom(db, companyId)
  return limitBytes === null ? null : limitBytes - keptBytes
}

/** What the caller's company keeps, for its managers. Plain 403 below company manager. */
export async function readStorageUse(db: Database, principal: Principal): Promise<StorageUse> {
  if (!managesCompany(principal) || isRestricted(principal)) {
    throw new PlainError(uncoded.role_too_low.status, uncoded.role_too_low.detail)
  }
  const { companyId: company_id } = principal
  const { keptBytes, limitBytes } = await readKeptRoom(db, company_id)
  return {
    company_id,
    kept_bytes: keptBytes,
    limit_bytes: limitBytes,
    kinds: await listKeptKinds(db, company_id),
  }
}

/** What a company may keep that has no bound of its own; noted when a part of the service starts. */
export async function noteDefaultBytes(
  db: Database,
  { dataDir, companyStorageBytes }: Pick<Config, 'dataDir' | 'companyStorageBytes'>,
): Promise<void> {
  const bytes =
    companyStorageBytes ?? defaultCompanyBytes((await diskOf(join(dataDir, 'objects'))).totalBytes)
  await setDefaultBytes(db, bytes)
}

const foldBatch = 5000

/** One round of the loop that keeps the sums short. */
export const foldKept = async ({ db }: { db: Database }): Promise<{ folded: number }> => ({
  folded: await inBatches(foldBatch, (limit) => foldKeptBytes(db, limit)),
})
