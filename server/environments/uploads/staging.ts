import {
  inputFileUploadsMax,
  stagingDeclaredMaxBytes,
  stagingSlotsMax,
  uploadInitsPerMinuteMax,
} from '@sandbox-jobs/contract/limits.ts'
import { systemClock } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import type { Log } from '../../base/logging.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import { lockCompany } from '../../db/company-lock.ts'
import type { Database, Executing, Trx } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeEach } from '../../work/removal.ts'
import { inBatches } from '../../work/sweep.ts'
import {
  countInputLeases,
  deleteCountedLeases,
  insertLeases,
  lockLease,
  lockOverdueLeases,
  releaseLeases,
} from './staging-lease-store.ts'
import { measureStaging } from './upload-session-store.ts'

/*
 * Limits on concurrent uploads of one company (contract part 1, "Limits"): inits per minute, live slots, and declared
 * bytes. A context upload holds them through its session. An upload that starts and ends in one request holds a
 * lease. The lease also owns the stored bytes until another row owns them, so that nothing remains if the process
 * dies in between. Input files of runs hold leases too, but have slots of their own.
 */

/** Longer than the HTTP server's limit for a request plus the check of the received bytes. */
const leaseSeconds = 20 * 60

/**
 * Checks that the company may start another upload, or several with `declaredBytes` in total. The counted usage stays
 * locked until the transaction ends. Throws `upload_rate_limited`, `staging_slot_exhausted` or
 * `storage_quota_exceeded`.
 */
export async function requireStagingSpace(
  trx: Trx,
  companyId: string,
  declaredBytes: number,
  { kind, slots }: { kind: 'context' | StagingKind; slots: number } = { kind: 'context', slots: 1 },
): Promise<void> {
  await lockCompany(trx, companyId, 'uploads')
  if (kind === 'input') return requireInputSpace(trx, companyId, declaredBytes)
  const held = await measureStaging(trx, companyId)
  // Build output is not a user's upload: it takes a slot, but does not count as an init.
  if (kind !== 'report' && held.inits >= uploadInitsPerMinuteMax) {
    throw new CodedError('upload_rate_limited', {
      limit: uploadInitsPerMinuteMax,
      retry_after_seconds: held.freeAfterSeconds,
    })
  }
  if (held.slots + slots > stagingSlotsMax || held.declaredBytes + declaredBytes > stagingDeclaredMaxBytes) {
    throw new CodedError('staging_slot_exhausted', { limit: stagingSlotsMax })
  }
  // A build that was already admitted may store its report, so that its work is not lost.
  if (kind !== 'report') await requireStorageQuota(trx, companyId, declaredBytes)
}

async function requireInputSpace(trx: Trx, companyId: string, declaredBytes: number): Promise<void> {
  if ((await countInputLeases(trx, companyId)) >= inputFileUploadsMax) {
    throw new CodedError('staging_slot_exhausted', { limit: inputFileUploadsMax })
  }
  await requireStorageQuota(trx, companyId, declaredBytes)
}

type StagingKind = 'script' | 'bundle' | 'report' | 'input'

/** Owner of an upload. */
export interface StagingOwner {
  companyId: string
  kind: StagingKind
}

export interface StagedFile {
  declaredBytes: number
  /** Storage key of bytes that are not stored in a row. */
  storageKey: string | null
}

/** Counts an upload as started and returns its lease. Throws the errors of `requireStagingSpace`. */
export async function openStaging(db: Database, staging: StagingOwner & StagedFile): Promise<string> {
  const [id = ''] = await openStagings(db, staging, [staging])
  return id
}

/** Opens several leases, all or none, and returns them in order. */
export function openStagings(
  db: Database,
  { companyId, kind }: StagingOwner,
  files: readonly StagedFile[],
): Promise<string[]> {
  const leases = files.map(({ declaredBytes, storageKey }) => ({
    id: newId('stagingLease'),
    company_id: companyId,
    object_kind: kind,
    declared_bytes: declaredBytes,
    storage_key: storageKey,
  }))
  const declaredBytes = files.reduce((sum, file) => sum + file.declaredBytes, 0)
  return db.transaction().execute(async (trx) => {
    await requireStagingSpace(trx, companyId, declaredBytes, { kind, slots: files.length })
    await insertLeases(trx, leases, leaseSeconds)
    return leases.map(({ id }) => id)
  })
}

/**
 * Ends leases. Call it in the transaction in which other rows take ownership of the bytes. False: some of the bytes
 * may be gone.
 */
export const closeStagings = async (
  db: Executing,
  companyId: string,
  leaseIds: readonly string[],
): Promise<boolean> => (await releaseLeases(db, companyId, leaseIds)) === leaseIds.length

/** Ends one lease. */
export const closeStaging = (db: Executing, companyId: string, leaseId: string): Promise<boolean> =>
  closeStagings(db, companyId, [leaseId])

/**
 * Ends the lease of an upload that failed, and removes its bytes, unless a row has taken them: a commit may have succeeded
 * although its answer was lost. If the bytes cannot be removed now, they stay with the lease and the sweep removes them.
 */
export async function dropStaging(
  { db, storage, log }: SweepDeps,
  { companyId, lease, storageKey }: { companyId: string; lease: string; storageKey: string },
): Promise<void> {
  try {
    await db.transaction().execute(async (trx) => {
      if (!(await lockLease(trx, companyId, lease))) return
      await storage.delete(storageKey)
      await closeStaging(trx, companyId, lease)
    })
  } catch (error) {
    log.warn({ err: error, lease }, 'bytes of a refused upload not removed')
  }
}

interface SweepDeps {
  db: Database
  storage: ObjectStorage
  log: Log
}

const batch = 100

/** Ends the leases of uploads whose process died, and removes their bytes. One bounded iteration. */
export async function sweepStaging(
  context: SweepDeps,
): Promise<{ leasesEnded: number; leasesForgotten: number }> {
  const { db, storage, log } = context
  const now = systemClock.now()
  const { removed: leasesEnded } = await db.transaction().execute(async (trx) =>
    removeEach(await lockOverdueLeases(trx, now, batch), {
      db: trx,
      now,
      idOf: ({ id }) => id,
      remove: async (lease) => {
        if (lease.storage_key !== null) await storage.delete(lease.storage_key)
        await releaseLeases(trx, lease.company_id, [lease.id])
      },
      onFailure: ({ id }, error) =>
        log.warn({ err: error, lease: id }, 'bytes of a broken upload not removed'),
    }),
  )
  return { leasesEnded, leasesForgotten: await inBatches(batch, (limit) => deleteCountedLeases(db, limit)) }
}
