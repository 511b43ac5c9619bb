import type { Executing, Trx } from '../db/database.ts'
import {
  type ComparedVersion,
  listOutdatedVersions as listOutdated,
  lockCurrentVersion,
  noteCompared as note,
} from './environment-store.ts'

export type { ComparedVersion } from './environment-store.ts'

/** The version that an environment's new tasks use, and no other until the transaction ends; null: none is ready. */
export const holdCurrentVersion = (
  trx: Trx,
  of: { companyId: string; environmentId: string },
): Promise<string | null> => lockCurrentVersion(trx, of)

/** Current versions that were compared with vulnerabilities of before `revision`, or never. */
export const listOutdatedVersions = (
  db: Executing,
  revision: number,
  limit: number,
): Promise<ComparedVersion[]> => listOutdated(db, revision, limit)

/** Notes what a version was compared with, as long as it is the current one. */
export const noteCompared = (trx: Trx, version: ComparedVersion, revision: number): Promise<unknown> =>
  note(trx, version, revision)
