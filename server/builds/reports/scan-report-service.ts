import type { Readable } from 'node:stream'
import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import type { Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import { ObjectMissing } from '../../storage/port.ts'
import { type BuildPath, readBuild } from '../attempts/build-query-service.ts'
import { findReport, type ReportKeys } from './report-store.ts'

/** The scan report of a build, for owner managers; 404 before there is one, and after it was removed. */
export async function readScanReport(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<ScanReport> {
  const report = await open(context, principal, path, ({ reportKey }) => reportKey)
  const bytes = Buffer.concat(await report.toArray())
  return JSON.parse(bytes.toString('utf8')) as ScanReport
}

/** The stored SBOM, byte for byte; its digest is in the report. */
export const openSbom = (
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<Readable> => open(context, principal, path, ({ sbomKey }) => sbomKey)

async function open(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
  keyOf: (kept: ReportKeys) => string,
): Promise<Readable> {
  await managedEnvironment(context.db, principal, 'environment.inspect', path.environmentId)
  const attempt = await readBuild(context, principal, path)
  const kept = await findReport(context.db, { companyId: principal.companyId, attemptId: attempt.id })
  if (!kept) throw notFound()
  try {
    return await context.storage.get(keyOf(kept))
  } catch (error) {
    throw error instanceof ObjectMissing ? notFound() : error
  }
}
