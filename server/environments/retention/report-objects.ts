import type { Executing, Trx } from '../../db/database.ts'
import { closeStagings } from '../uploads/staging.ts'
import { insertReportObjects, listRetired, retireReportObjects, tombstone } from './report-object-store.ts'

/** Stored bytes that a staging lease still owns. */
export interface LeasedObject {
  id: string
  leaseId: string
  storageKey: string
  byteSize: number
  digest: string
}

/** Transfers stored bytes from their leases to the build that wrote them. */
export async function adoptReports(
  trx: Trx,
  owner: { companyId: string; environmentId: string; attemptId: string },
  objects: readonly LeasedObject[],
): Promise<void> {
  const leaseIds = objects.map(({ leaseId }) => leaseId)
  if (!(await closeStagings(trx, owner.companyId, leaseIds))) {
    throw new Error('the lease of a report ended before its build took it over')
  }
  const { companyId: company_id, environmentId: environment_id, attemptId: build_attempt_id } = owner
  await insertReportObjects(
    trx,
    objects.map(({ id, storageKey: storage_key, byteSize: byte_size, digest }) => ({
      id,
      company_id,
      environment_id,
      build_attempt_id,
      storage_key,
      byte_size,
      digest,
    })),
  )
}

/**
 * Retires the given reports. Returns at most `limit` retired reports whose bytes may still exist, from this and earlier
 * iterations.
 */
export async function retireReports(
  db: Executing,
  overdue: { ids: readonly string[]; now: Date; limit: number },
): Promise<{ id: string; storageKey: string }[]> {
  await retireReportObjects(db, overdue.ids)
  return listRetired(db, overdue.now, overdue.limit)
}

/** Records that the bytes of a retired report are removed. */
export const tombstoneReport = async (db: Executing, id: string): Promise<void> =>
  void (await tombstone(db, id))
