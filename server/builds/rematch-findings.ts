import type { Log } from '../base/logging.ts'
import type { Database } from '../db/database.ts'
import { type ComparedVersion, listOutdatedVersions, noteCompared } from '../environments/current-version.ts'
import { trackFindings } from '../findings/track-findings.ts'
import { latestVulnerabilities, matchPackages } from '../findings/vulnerabilities/match-packages.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { installedPackages } from './scan/installed-packages.ts'
import { packagesOfSbom } from './scan/packages-of-sbom.ts'
import { findScan } from './scan/report-keeping.ts'

export interface RematchDeps {
  db: Database
  storage: ObjectStorage
  log: Log
}

const batch = 100

/**
 * Compares the packages of current versions with vulnerabilities that the operator has imported since, by the SBOMs that
 * their scans left, and moves the findings of their environments. The reports stay what they were at their time. One
 * bounded round; an import on the way has the next round do it again.
 */
export async function rematchFindings(deps: RematchDeps): Promise<{ compared: number; failed: number }> {
  const counts = { compared: 0, failed: 0 }
  const database = await latestVulnerabilities(deps.db)
  if (!database) return counts
  for (const version of await listOutdatedVersions(deps.db, database.revision, batch)) {
    try {
      await compare(deps, version, database.revision)
      counts.compared += 1
    } catch (error) {
      deps.log.warn({ version: version.versionId, error: String(error) }, 'findings are not compared yet')
      counts.failed += 1
    }
  }
  return counts
}

async function compare(deps: RematchDeps, version: ComparedVersion, revision: number): Promise<void> {
  const { db, storage } = deps
  const scan = await findScan({ db, storage }, version)
  const packages = scan && { system: scan.report.system ?? undefined, packages: packagesOfSbom(scan.sbom) }
  const { findings } = packages ? await matchPackages(db, installedPackages(packages)) : { findings: [] }
  await db.transaction().execute(async (trx) => {
    // Without its report nothing is known of an image, so nothing is said of it.
    if (scan) {
      const { truncated, unread } = scan.report
      const isComplete = !truncated && unread.every(({ reason }) => reason !== 'scan_died')
      await trackFindings(trx, version, { findings, kinds: ['vulnerability'], isComplete })
    }
    await noteCompared(trx, version, revision)
  })
}
