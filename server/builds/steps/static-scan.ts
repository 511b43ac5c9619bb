import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import { findingKinds } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { ArchiveRefused } from '../../../reader/formats/archive-refused.ts'
import { type Inventory, unscanned } from '../../../reader/inventory/inventory.ts'
import { decidingPaths, joinInventories } from '../../../reader/inventory/join-inventories.ts'
import { maxInventoryBytes, parseInventory } from '../../../reader/inventory/parse-inventory.ts'
import { settleAll } from '../../base/settle-all.ts'
import { sha256Of } from '../../base/sha256.ts'
import type { Scanned as TrackedScan } from '../../findings/track-findings.ts'
import { latestVulnerabilities, matchPackages } from '../../findings/vulnerabilities/match-packages.ts'
import { installedDigest } from '../../images/image-documents.ts'
import { openQuarantined } from '../../images/oci-layout.ts'
import { type BaseLayer, baseInventoryKey } from '../cache/base-layer.ts'
import { cycloneDx } from '../reports/cyclonedx.ts'
import { installedPackages } from '../reports/installed-packages.ts'
import { scanReport } from '../reports/scan-report.ts'
import { findScan, findStoredReport, type StoredScan, storeReport } from '../reports/stored-report.ts'
import type { Build } from '../request/build.ts'
import type { Built, ReusedImage } from './customer-build/built.ts'
import type { Step } from './step.ts'

/** The parts that later steps and the end of a build use of its scan. */
interface ScanResult extends TrackedScan {
  /** Digest of the stored SBOM. */
  sbomDigest: string
}

export interface Scanned {
  scan: ScanResult
}

/**
 * Scans the quarantined image for packages, suspicious files and known vulnerabilities. The findings
 * are advice and fail no build. A report that an earlier worker stored for the same image is used as it is.
 */
export const staticScan: Step<Pick<Built, 'layers' | 'reused' | 'baseLayer'>, Scanned> = {
  name: 'static_scan',
  stage: 'static_scan',
  async run(build, { layers, reused, baseLayer }) {
    const layerDigest = installedDigest(layers)
    const [stored, earlier] = await settleAll([
      findStoredReport(build),
      reused && findEarlierScan(build, reused, layerDigest),
    ])
    if (stored?.layer_digest === layerDigest) return { scan: resultOf(stored) }
    return {
      scan: resultOf(await (earlier ? copyReport(build, earlier) : scan(build, { layers, baseLayer }))),
    }
  },
}

async function scan(build: Build, image: Pick<Built, 'layers' | 'baseLayer'>): Promise<ScanReport> {
  const layerDigest = installedDigest(image.layers)
  const inventory = await readInventory(build, image)
  const sbom = cycloneDx(inventory, layerDigest)
  const matched = await matchPackages(build.db, installedPackages(inventory))
  return storeReport(build, sbom, (sbomDigest) =>
    scanReport({ request: build.request, layerDigest, sbomDigest, inventory, matched }),
  )
}

/**
 * The stored scan of a reused image, if it was matched with the current vulnerabilities: a new scan would find the
 * same.
 */
async function findEarlierScan(
  { db, request, tools: { storage } }: Build,
  { attemptId }: ReusedImage,
  layerDigest: string,
): Promise<StoredScan | undefined> {
  const [earlier, database] = await settleAll([
    findScan({ db, storage }, { companyId: request.companyId, attemptId }),
    latestVulnerabilities(db),
  ])
  const isSame =
    earlier?.report.layer_digest === layerDigest &&
    earlier.report.vulnerability_database?.revision === database?.revision
  return isSame ? earlier : undefined
}

const copyReport = (build: Build, { report, sbom }: StoredScan): Promise<ScanReport> =>
  storeReport(build, sbom, (sbomDigest) => ({
    ...report,
    build_attempt_id: build.request.attemptId,
    environment_version_id: build.request.versionId,
    sbom_digest: sbomDigest,
  }))

/** Reads the lowest layer, or the inventory of it that was kept, and then the layers above. If the scanner dies, the build goes on and the report says so. */
async function readInventory(
  { request, tools, signal }: Build,
  { layers, baseLayer }: Pick<Built, 'layers' | 'baseLayer'>,
): Promise<Inventory> {
  const { readers, storage } = tools
  const open = (at: number) => () => openQuarantined(storage, request.versionId, at)
  try {
    let inventory = baseLayer && (await readBaseInventory(storage, baseLayer))
    inventory ??= await readers.scanImage(open(0), signal)
    for (let at = 1; at < layers.length; at += 1) {
      const above = await readers.scanLayer(decidingPaths(inventory), open(at), signal)
      inventory = joinInventories(inventory, above)
    }
    return inventory
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error
    tools.log.warn({ attempt: request.attemptId, reason: error.slug }, 'image cannot be scanned')
    return unscanned
  }
}

/** Undefined if it is missing or damaged. */
async function readBaseInventory(
  storage: Build['tools']['storage'],
  layer: BaseLayer,
): Promise<Inventory | undefined> {
  const bytes = await storage.read(baseInventoryKey(layer), maxInventoryBytes)
  return bytes && sha256Of(bytes) === layer.inventoryDigest ? parseInventory(bytes) : undefined
}

const resultOf = ({ findings, sbom_digest: sbomDigest, truncated, unread }: ScanReport): ScanResult => ({
  findings,
  sbomDigest,
  kinds: findingKinds,
  isComplete: !truncated && unread.every(({ reason }) => reason !== 'scan_died'),
})
