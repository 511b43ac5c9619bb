import type { Executing, Trx } from '../../db/database.ts'
import {
  type ComparedVersion,
  listOutdatedVersions as listOutdated,
  lockCurrentVersion,
  recordCompared as note,
} from './environment-store.ts'

export type { ComparedVersion } from './environment-store.ts'

/**
 * The version that new tasks of the environment use, locked until the transaction ends. Null: none is ready, or the
 * environment is not of the company.
 */
export const lockCurrentVersionOf = (
  trx: Trx,
  of: { companyId: string; environmentId: string },
): Promise<string | null> => lockCurrentVersion(trx, of)

/** Current versions that were never compared with vulnerabilities, or only with revisions before `revision`. */
export const listOutdatedVersions = (
  db: Executing,
  revision: number,
  limit: number,
): Promise<ComparedVersion[]> => listOutdated(db, revision, limit)

/** Records the revision that a version was compared with, if it is still the current version. */
export const recordCompared = (trx: Trx, version: ComparedVersion, revision: number): Promise<unknown> =>
  note(trx, version, revision)
