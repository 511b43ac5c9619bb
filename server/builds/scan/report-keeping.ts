import type { ScanReport } from '@sandbox-jobs/contract/resources/scan-report.ts'
import { allEnded } from '../../base/all-ended.ts'
import { sleep } from '../../base/clock.ts'
import { CodedError } from '../../base/coded-error.ts'
import { newId } from '../../base/ids.ts'
import { sha256Of } from '../../base/sha256.ts'
import type { Executing } from '../../db/database.ts'
import { type HeldObject, ownReports } from '../../environments/report-objects.ts'
import { openStagings, type StagedFile } from '../../environments/staging.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { BuildFailed } from '../build-failed.ts'
import type { Build } from '../steps/step.ts'
import { findReport } from './report-store.ts'

/*
 * Where the report of a scan and its SBOM are kept: two objects that the company owns, of kind `report`. While they
 * are written they hold staging leases as uploads do (contract part 1, "Limits"), so that nothing is left of a worker
 * that dies in between.
 */

/** How long a build waits for a slot while uploads hold all of the company's. */
const slotTimeoutMs = 10 * 60_000
const slotPauseMs = 2000

/** The report that an earlier worker kept of this attempt. */
export async function findKeptReport({ db, order, tools }: Build): Promise<ScanReport | undefined> {
  const kept = await findReport(db, order)
  return kept && readReport(tools.storage, kept.reportKey)
}

export interface KeptScan {
  report: ScanReport
  sbom: Buffer
}

/** What a finished attempt left; undefined when it is gone. */
export async function findScan(
  { db, storage }: { db: Executing; storage: ObjectStorage },
  attempt: { companyId: string; attemptId: string },
): Promise<KeptScan | undefined> {
  const kept = await findReport(db, attempt)
  if (!kept) return undefined
  const [report, sbom] = await allEnded([readReport(storage, kept.reportKey), storage.read(kept.sbomKey)])
  return report && sbom && sha256Of(sbom) === report.sbom_digest ? { report, sbom } : undefined
}

async function readReport(storage: ObjectStorage, key: string): Promise<ScanReport | undefined> {
  const bytes = await storage.read(key)
  return bytes && (JSON.parse(bytes.toString('utf8')) as ScanReport)
}

/** Stores SBOM and report, and has both noted with the attempt. */
export async function keepReport(
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
  build.keep(async (trx) => {
    await ownReports(trx, build.order, [sbomObject, reportObject])
    return { report_object_id: reportObject.id, sbom_object_id: sbomObject.id }
  })
  return report
}

async function store(build: Build, files: { name: string; bytes: Buffer }[]): Promise<HeldObject[]> {
  const objects = files.map(({ name, bytes }) => {
    const id = newId('ownedObject')
    return { id, bytes, key: `reports/${build.order.companyId}/${id}/${name}` }
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

/** Waits for slots: the build is worth more than a few minutes. Throws `platform_failed` when none becomes free. */
async function openLeases({ db, order, signal }: Build, files: readonly StagedFile[]): Promise<string[]> {
  const deadline = performance.now() + slotTimeoutMs
  for (;;) {
    signal.throwIfAborted()
    try {
      return await openStagings(db, { companyId: order.companyId, kind: 'report' }, files)
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'staging_slot_exhausted')) throw error
      if (performance.now() > deadline) throw new BuildFailed('platform_failed', 'staging_slot_exhausted')
    }
    await sleep(slotPauseMs, signal)
  }
}
