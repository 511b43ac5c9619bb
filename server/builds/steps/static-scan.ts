import type { ScanReport } from '@sandbox-jobs/contract/resources/scan-report.ts'
import { findingKinds } from '@sandbox-jobs/contract/resources/security-finding.ts'
import { allEnded } from '../../base/all-ended.ts'
import { latestVulnerabilities, matchPackages } from '../../findings/vulnerabilities/match-packages.ts'
import { ArchiveRefused } from '../archive/archive-refused.ts'
import { openQuarantined } from '../oci-layout.ts'
import { cycloneDx } from '../scan/cyclonedx.ts'
import { installedPackages } from '../scan/installed-packages.ts'
import { type Inventory, unscanned } from '../scan/inventory.ts'
import { findKeptReport, findScan, type KeptScan, keepReport } from '../scan/report-keeping.ts'
import { scanReport } from '../scan/scan-report.ts'
import type { ScanResult } from '../scan/scan-result.ts'
import { type Build, type BuildStep, found } from './step.ts'

/**
 * Looks through the quarantined image: the packages in it, files that deserve a look, known vulnerabilities. What it
 * finds is advice and fails no build. A report that an earlier worker kept of the same image is taken as it is.
 */
export const staticScan: BuildStep = {
  stage: 'static_scan',
  attemptStates: ['verifying'],
  versionStates: ['quarantined', 'verifying'],
  async run(build: Build) {
    const { diffId: layerDigest } = found(build, 'layer')
    const [kept, earlier] = await allEnded([findKeptReport(build), findEarlierScan(build, layerDigest)])
    if (kept?.layer_digest === layerDigest) build.findings.scan = resultOf(kept)
    else
      build.findings.scan = resultOf(await (earlier ? takeReport(build, earlier) : scan(build, layerDigest)))
  },
}

async function scan(build: Build, layerDigest: string): Promise<ScanReport> {
  const inventory = await readInventory(build)
  const sbom = cycloneDx(inventory, layerDigest)
  const matched = await matchPackages(build.db, installedPackages(inventory))
  return keepReport(build, sbom, (sbomDigest) =>
    scanReport({ order: build.order, layerDigest, sbomDigest, inventory, matched }),
  )
}

/**
 * What was found in an image that was taken over, by this program and against the same vulnerabilities, would be found
 * again.
 */
async function findEarlierScan(
  { db, order, findings: { reused }, tools: { storage } }: Build,
  layerDigest: string,
): Promise<KeptScan | undefined> {
  if (!reused) return undefined
  const [earlier, database] = await allEnded([
    findScan({ db, storage }, { companyId: order.companyId, attemptId: reused.attemptId }),
    latestVulnerabilities(db),
  ])
  const isSame =
    earlier?.report.layer_digest === layerDigest &&
    earlier.report.vulnerability_database?.revision === database?.revision
  return isSame ? earlier : undefined
}

const takeReport = (build: Build, { report, sbom }: KeptScan): Promise<ScanReport> =>
  keepReport(build, sbom, (sbomDigest) => ({
    ...report,
    build_attempt_id: build.order.attemptId,
    environment_version_id: build.order.versionId,
    sbom_digest: sbomDigest,
  }))

/** An image on which the scanner dies is not worse than its findings would be: the report says so. */
async function readInventory({ order, tools, signal }: Build): Promise<Inventory> {
  try {
    return await tools.readers.scanImage(() => openQuarantined(tools.storage, order.versionId), signal)
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    tools.log.warn({ attempt: order.attemptId, reason: error.slug }, 'image cannot be scanned')
    return unscanned
  }
}

const resultOf = ({ findings, sbom_digest: sbomDigest, truncated, unread }: ScanReport): ScanResult => ({
  findings,
  sbomDigest,
  kinds: findingKinds,
  isComplete: !truncated && unread.every(({ reason }) => reason !== 'scan_died'),
})
