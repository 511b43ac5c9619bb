import type { Log } from '../../base/logging.ts'
import type { Database } from '../../db/database.ts'
import {
  type ComparedVersion,
  listOutdatedVersions,
  recordCompared,
} from '../../environments/catalogue/current-version.ts'
import { trackFindings } from '../../findings/track-findings.ts'
import { latestVulnerabilities, matchPackages } from '../../findings/vulnerabilities/match-packages.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { companiesOfAttempts } from '../attempts/last-build-store.ts'
import { packagesOfSbom } from './cyclonedx.ts'
import { installedPackages } from './installed-packages.ts'
import { findScan } from './stored-report.ts'

export interface RematchDeps {
  db: Database
  storage: ObjectStorage
  log: Log
  signal: AbortSignal
}

const batch = 100

/**
 * Matches the packages of current versions with vulnerabilities that the operator imported after their scan, from the stored
 * SBOMs, and updates the findings of their environments. Reports do not change. One bounded round; an import during the round
 * is handled in the next. It ends with the comparison of one version when the signal aborts.
 */
export async function rematchFindings(deps: RematchDeps): Promise<{ compared: number; failed: number }> {
  const counts = { compared: 0, failed: 0 }
  const database = await latestVulnerabilities(deps.db)
  if (!database) return counts
  const outdated = await listOutdatedVersions(deps.db, database.revision, batch)
  const companies = await companiesOfAttempts(
    deps.db,
    outdated.map(({ attemptId }) => attemptId),
  )
  for (const version of outdated) {
    if (deps.signal.aborted) break
    const companyId = companies.get(version.attemptId)
    if (companyId === undefined) continue
    try {
      await compare(deps, { ...version, companyId }, database.revision)
      counts.compared += 1
    } catch (error) {
      deps.log.warn({ version: version.versionId, error: String(error) }, 'cannot match findings yet')
      counts.failed += 1
    }
  }
  return counts
}

/** `companyId` is the company of the build. */
async function compare(
  deps: RematchDeps,
  version: ComparedVersion & { companyId: string },
  revision: number,
): Promise<void> {
  const { db, storage } = deps
  const scan = await findScan({ db, storage }, version)
  const packages = scan && { system: scan.report.system ?? undefined, packages: packagesOfSbom(scan.sbom) }
  const matched = packages && (await matchPackages(db, installedPackages(packages)))
  await db.transaction().execute(async (trx) => {
    // Without a report nothing is known about the image, so its findings stay as they are.
    if (scan && matched) {
      const { truncated, unread } = scan.report
      const isRead = !truncated && unread.every(({ reason }) => reason !== 'scan_died')
      const { findings, isComplete } = matched
      await trackFindings(trx, version, {
        findings,
        kinds: ['vulnerability'],
        isComplete: isRead && isComplete,
      })
    }
    await recordCompared(trx, version, revision)
  })
}
