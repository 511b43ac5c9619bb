import type { Database, Executing, Trx } from '../db/database.ts'
import { insertReportObjects, listRetired, retireOverdueReports, tombstone } from './report-object-store.ts'
import { closeStagings } from './staging.ts'

/** Stored bytes that a staging lease still owns. */
export interface HeldObject {
  id: string
  leaseId: string
  storageKey: string
  byteSize: number
  digest: string
}

/** Takes stored bytes over from their leases, for the build that left them. */
export async function ownReports(
  trx: Trx,
  owner: { companyId: string; environmentId: string; attemptId: string },
  objects: readonly HeldObject[],
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

/** Takes reports out of sight whose time is over, and answers those whose bytes may still be there, at most `limit`. */
export async function retireReports(
  db: Database,
  now: Date,
  limit: number,
): Promise<{ id: string; storageKey: string }[]> {
  await retireOverdueReports(db, now, limit)
  return listRetired(db, now, limit)
}

/** Notes that the bytes of a retired report are gone. */
export const endReport = async (db: Executing, id: string): Promise<void> => void (await tombstone(db, id))
