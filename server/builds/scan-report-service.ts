import type { Readable } from 'node:stream'
import type { ScanReport } from '@sandbox-jobs/contract/resources/scan-report.ts'
import { notFound } from '../base/coded-error.ts'
import { managedEnvironment } from '../environments/environment-access.ts'
import type { EnvironmentContext } from '../environments/environment-context.ts'
import type { Principal } from '../platform/principal.ts'
import { ObjectMissing } from '../storage/port.ts'
import { type BuildPath, readBuild } from './build-query-service.ts'
import { findReport, type KeptReport } from './scan/report-store.ts'

/** What the scan of a build found, for owner managers; 404 before there is a report, and when it was removed. */
export async function readScanReport(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<ScanReport> {
  const report = await open(context, principal, path, ({ reportKey }) => reportKey)
  const bytes = Buffer.concat(await report.toArray())
  return JSON.parse(bytes.toString('utf8')) as ScanReport
}

/** The SBOM as it was stored, byte for byte: its digest is in the report. */
export const openSbom = (
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<Readable> => open(context, principal, path, ({ sbomKey }) => sbomKey)

async function open(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
  keyOf: (kept: KeptReport) => string,
): Promise<Readable> {
  await managedEnvironment(context.db, principal, path.environmentId)
  const attempt = await readBuild(context, principal, path)
  const kept = await findReport(context.db, { companyId: principal.companyId, attemptId: attempt.id })
  if (!kept) throw notFound()
  try {
    return await context.storage.get(keyOf(kept))
  } catch (error) {
    throw error instanceof ObjectMissing ? notFound() : error
  }
}
