import type { Database, Executing, Trx } from '../db/database.ts'
import { insertReportObject, listRetired, retireOverdueReports, tombstone } from './report-object-store.ts'
import { closeStaging } from './staging.ts'

/** Stored bytes that a staging lease still owns. */
export interface HeldObject {
  id: string
  leaseId: string
  storageKey: string
  byteSize: number
  digest: string
}

/** Takes stored bytes over from their lease, for the build that left them. */
export async function ownReport(
  trx: Trx,
  owner: { companyId: string; environmentId: string; attemptId: string },
  { id, leaseId, storageKey, byteSize, digest }: HeldObject,
): Promise<void> {
  if (!(await closeStaging(trx, leaseId))) {
    throw new Error('the lease of a report ended before its build took it over')
  }
  await insertReportObject(trx, {
    id,
    company_id: owner.companyId,
    environment_id: owner.environmentId,
    build_attempt_id: owner.attemptId,
    storage_key: storageKey,
    byte_size: byteSize,
    digest,
  })
}

/** Takes reports out of sight whose time is over, and answers those whose bytes may still be there, at most `limit`. */
export async function retireReports(
  db: Database,
  now: Date,
  limit: number,
): Promise<{ id: string; storageKey: string }[]> {
  await retireOverdueReports(db, now, limit)
  return listRetired(db, limit)
}

/** Notes that the bytes of a retired report are gone. */
export const endReport = async (db: Executing, id: string): Promise<void> => void (await tombstone(db, id))
