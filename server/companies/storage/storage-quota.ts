import { join } from 'node:path'
import type { StorageUse } from '@sandbox-jobs/contract/resources/companies/storage-use.ts'
import { authorize, ownCompany } from '../../access/allow.ts'
import type { Principal } from '../../access/principal.ts'
import type { Config } from '../../base/config/config.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Database, Executing } from '../../db/database.ts'
import { defaultCompanyBytes, diskOf } from '../../storage/free-space.ts'
import { folding } from '../../work/fold-changes.ts'
import {
  keptBytesFold,
  listKeptKinds,
  readStorageUsage,
  type StorageUsage,
  setDefaultBytes,
} from './kept-bytes-store.ts'

export type { StorageUsage as KeptRoom } from './kept-bytes-store.ts'

/*
 * Bytes that a company stores on disk, and the limit that the operator sets. Data of a company is never removed to
 * make space. Data that would exceed the limit is refused at submission or upload, at the start of a run, and at the end
 * of a run whose results do not fit.
 */

/** Throws 409 `storage_quota_exceeded` if the additional bytes would exceed the limit. */
export function checkStorageQuota({ keptBytes, limitBytes }: StorageUsage, moreBytes: number): void {
  if (limitBytes === null || (keptBytes < limitBytes && keptBytes + moreBytes <= limitBytes)) return
  throw new CodedError('storage_quota_exceeded', { kept_bytes: keptBytes, limit_bytes: limitBytes })
}

/** The same check for the current usage of a company. */
export async function requireStorageQuota(
  db: Executing,
  companyId: string,
  moreBytes: number,
): Promise<void> {
  checkStorageQuota(await readStorageUsage(db, companyId), moreBytes)
}

/** Bytes that each definition of a table, each approval and each exception counts (migrations 0295 and 0311). */
export const definitionBytes = { table: 32 * 1024, approval: 16 * 1024, exception: 4 * 1024 } as const

/** The bytes that a row counts, at least nearly (migrations 0315 and 0341). */
export const rowBytes = { environment: 4096, version: 4096, secret: 2048, envelope: 512 } as const

/** Bytes that a schedule counts beside its name and input. */
export const scheduleBytes = 32 * 1024

/** Bytes that a task, a share or a binding counts, at least nearly (migration 0305). */
export const taskBytes = 4 * 1024

/** The kept bytes of a company of one kind. */
export async function keptOfKind(db: Executing, companyId: string, kind: string): Promise<number> {
  const kinds = await listKeptKinds(db, companyId)
  return kinds.find((each) => each.kind === kind)?.bytes ?? 0
}

/** The bytes that a company stores, and may store; null: no limit. */
export async function readKeptBytes(
  db: Executing,
  companyId: string,
): Promise<Pick<StorageUse, 'kept_bytes' | 'limit_bytes'>> {
  const { keptBytes, limitBytes } = await readStorageUsage(db, companyId)
  return { kept_bytes: keptBytes, limit_bytes: limitBytes }
}

/** Storage usage of the caller's company, for its managers. Plain 403 for roles below company manager. */
export async function readStorageUse(db: Database, principal: Principal): Promise<StorageUse> {
  authorize(principal, 'storage.read', ownCompany)
  const { companyId: company_id } = principal
  return {
    company_id,
    ...(await readKeptBytes(db, company_id)),
    kinds: await listKeptKinds(db, company_id),
  }
}

/** Stores the default limit per company. Each process calls it at start. */
export async function recordDefaultBytes(
  db: Database,
  { dataDir, companyStorageBytes }: Pick<Config, 'dataDir' | 'companyStorageBytes'>,
): Promise<void> {
  const bytes =
    companyStorageBytes ?? defaultCompanyBytes((await diskOf(join(dataDir, 'objects'))).totalBytes)
  await setDefaultBytes(db, bytes)
}

/** One iteration of the loop that folds recorded changes into the totals. */
export const foldKept = ({ db }: { db: Database }) => folding(db, keptBytesFold)
