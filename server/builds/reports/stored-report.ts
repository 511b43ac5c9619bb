import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import { sleep } from '../../base/clock.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { settleAll } from '../../base/settle-all.ts'
import { sha256Of } from '../../base/sha256.ts'
import type { Executing } from '../../db/database.ts'
import { adoptReports, type LeasedObject } from '../../environments/retention/report-objects.ts'
import { openStagings, type StagedFile } from '../../environments/uploads/staging.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import type { Build } from '../request/build.ts'
import { BuildFailed } from '../request/build-failed.ts'
import { findReport } from './report-store.ts'

/*
 * Stores the report and the SBOM of a scan as two objects of kind `report` that the company owns. While they
 * are written they hold staging leases, as uploads do (contract part 1, "Limits"), so that a worker that dies
 * leaves no residue.
 */

/** How long a build waits while uploads hold all staging slots of the company. */
const slotTimeoutMs = 10 * 60_000
const slotPauseMs = 2000

/** The report that an earlier worker stored for this attempt. */
export async function findStoredReport({ db, request, tools }: Build): Promise<ScanReport | undefined> {
  const kept = await findReport(db, request)
  return kept && readReport(tools.storage, kept.reportKey)
}

export interface StoredScan {
  report: ScanReport
  sbom: Buffer
}

/** Report and SBOM of a finished attempt; undefined when they were removed or are damaged. */
export async function findScan(
  { db, storage }: { db: Executing; storage: ObjectStorage },
  attempt: { companyId: string; attemptId: string },
): Promise<StoredScan | undefined> {
  const kept = await findReport(db, attempt)
  if (!kept) return undefined
  const [report, sbom] = await settleAll([readReport(storage, kept.reportKey), storage.read(kept.sbomKey)])
  return report && sbom && sha256Of(sbom) === report.sbom_digest ? { report, sbom } : undefined
}

async function readReport(storage: ObjectStorage, key: string): Promise<ScanReport | undefined> {
  const bytes = await storage.read(key)
  return bytes && (JSON.parse(bytes.toString('utf8')) as ScanReport)
}

/** Stores SBOM and report, and records both with the attempt. */
export async function storeReport(
  build: Build,
  sbom: Buffer,
  reportOf: (sbomDigest: string) => ScanReport,
): Promise<ScanReport> {
  const report = reportOf(sha256Of(sbom))
  const [sbomObject, reportObject] = await store(build, [
    { name: 'sbom', bytes: sbom },
    { name: 'report', bytes: Buffer.from(JSON.stringify(report)) },
  ])
  if (!sbomObject || !reportObject) throw new Error('a stored report is missing')
  build.write(async (trx) => {
    await adoptReports(trx, build.request, [sbomObject, reportObject])
    return { report_object_id: reportObject.id, sbom_object_id: sbomObject.id }
  })
  return report
}

async function store(build: Build, files: { name: string; bytes: Buffer }[]): Promise<LeasedObject[]> {
  const objects = files.map(({ name, bytes }) => {
    const id = newId('ownedObject')
    return { id, bytes, key: `reports/${build.request.companyId}/${id}/${name}` }
  })
  const leaseIds = await openLeases(
    build,
    objects.map(({ bytes, key: storageKey }) => ({ declaredBytes: bytes.length, storageKey })),
  )
  await build.tools.storage.putAll(objects)
  return objects.map(({ id, bytes, key: storageKey }, at) => {
    const byteSize = bytes.length
    return { id, leaseId: leaseIds[at] ?? '', storageKey, byteSize, digest: sha256Of(bytes) }
  })
}

/** Waits for staging slots instead of failing the build. Throws `platform_failed` when none becomes free. */
async function openLeases({ db, request, signal }: Build, files: readonly StagedFile[]): Promise<string[]> {
  const deadline = performance.now() + slotTimeoutMs
  for (;;) {
    signal.throwIfAborted()
    try {
      return await openStagings(db, { companyId: request.companyId, kind: 'report' }, files)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'staging_slot_exhausted')) throw error
      if (performance.now() > deadline) throw new BuildFailed('platform_failed', 'staging_slot_exhausted')
    }
    await sleep(slotPauseMs, signal)
  }
}
