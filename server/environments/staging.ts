import {
  stagingDeclaredMaxBytes,
  stagingSlotsMax,
  uploadInitsPerMinuteMax,
} from '@sandbox-jobs/contract/limits.ts'
import { systemClock } from '../base/clock.ts'
import { CodedError } from '../base/coded-error.ts'
import { newId } from '../base/ids.ts'
import type { Log } from '../base/logging.ts'
import { lockCompany } from '../db/company-lock.ts'
import type { Database, Executing, Trx } from '../db/database.ts'
import { inBatches } from '../queue/in-batches.ts'
import { removeEach } from '../queue/remove-each.ts'
import { requireRoom } from '../settings/storage-quota.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { deleteCountedLeases, insertLeases, lockOverdueLeases, releaseLeases } from './staging-lease-store.ts'
import { measureStaging } from './upload-session-store.ts'

/*
 * What the uploads of one company may take at once (contract part 1, "Limits"): inits in a minute, live slots, and
 * declared bytes. Context uploads hold theirs by their sessions. Uploads that begin and end in one request hold a
 * lease: it also owns the bytes in the store until a row of their own does, so that a process that dies in between
 * leaves nothing behind.
 */

/** Longer than the HTTP server lets a request take, and the check of what arrived. */
const leaseSeconds = 20 * 60

/**
 * Passes when the company may begin another upload, or so many that take `declaredBytes` together; until the transaction
 * ends, what it holds stays as it was counted. Throws `upload_rate_limited`, `staging_slot_exhausted` or
 * `storage_quota_exceeded`.
 */
export async function requireStagingRoom(
  trx: Trx,
  companyId: string,
  declaredBytes: number,
  { kind, slots }: { kind: 'context' | StagingKind; slots: number } = { kind: 'context', slots: 1 },
): Promise<void> {
  await lockCompany(trx, companyId, 'uploads')
  const held = await measureStaging(trx, companyId)
  // What a build leaves is nobody's upload: it takes a slot, and no init.
  if (kind !== 'report' && held.inits >= uploadInitsPerMinuteMax) {
    throw new CodedError('upload_rate_limited', {
      limit: uploadInitsPerMinuteMax,
      retry_after_seconds: held.freeAfterSeconds,
    })
  }
  if (held.slots + slots > stagingSlotsMax || held.declaredBytes + declaredBytes > stagingDeclaredMaxBytes) {
    throw new CodedError('staging_slot_exhausted', { limit: stagingSlotsMax })
  }
  // A build that was let in before leaves its report, or it would have been in vain.
  if (kind !== 'report') await requireRoom(trx, companyId, declaredBytes)
}

type StagingKind = 'script' | 'bundle' | 'report'

/** Who uploads what. */
export interface StagingOwner {
  companyId: string
  kind: StagingKind
}

export interface StagedFile {
  declaredBytes: number
  /** Where the bytes go, for what is not kept in a row. */
  storageKey: string | null
}

/** Counts an upload as begun and answers its lease. Throws what `requireStagingRoom` throws. */
export async function openStaging(db: Database, staging: StagingOwner & StagedFile): Promise<string> {
  const [id = ''] = await openStagings(db, staging, [staging])
  return id
}

/** The same of several, all of them or none; the leases are in their order. */
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
    await requireStagingRoom(trx, companyId, declaredBytes, { kind, slots: files.length })
    await insertLeases(trx, leases, leaseSeconds)
    return leases.map(({ id }) => id)
  })
}

/** Ends leases; called with the transaction in which rows take over their bytes. False: some of them may be gone. */
export const closeStagings = async (
  db: Executing,
  companyId: string,
  leaseIds: readonly string[],
): Promise<boolean> => (await releaseLeases(db, companyId, leaseIds)) === leaseIds.length

/** The same of one. */
export const closeStaging = (db: Executing, companyId: string, leaseId: string): Promise<boolean> =>
  closeStagings(db, companyId, [leaseId])

const batch = 100

/** Ends the leases of uploads whose process died, with their bytes. One bounded round. */
export async function sweepStaging(context: {
  db: Database
  storage: ObjectStorage
  log: Log
}): Promise<{ leasesEnded: number; leasesForgotten: number }> {
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
