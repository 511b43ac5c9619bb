import type { Readable } from 'node:stream'
import type { ScanReport } from '@sandbox-jobs/contract/resources/builds/scan-report.ts'
import { downloaderOf, type Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { managedEnvironment } from '../../environments/catalogue/environment-access.ts'
import type { EnvironmentContext } from '../../environments/catalogue/environment-context.ts'
import type { Downloads } from '../../storage/downloads/downloads.ts'
import { type BuildPath, readBuild } from '../attempts/build-query-service.ts'
import { findReport, type ReportKeys } from './report-store.ts'

/** The scan report of a build, for owner managers; 404 before there is one, and after it was removed. */
export async function readScanReport(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<ScanReport> {
  const { reportKey } = await requireReport(context, principal, path)
  const bytes = await context.storage.read(reportKey)
  if (!bytes) throw notFound()
  return JSON.parse(bytes.toString('utf8')) as ScanReport
}

/** The stored SBOM, byte for byte; its digest is in the report. Throws `not_found` and `downloads_busy`. */
export async function openSbom(
  context: EnvironmentContext & { downloads: Downloads },
  principal: Principal,
  { signal, ...path }: BuildPath & { signal: AbortSignal },
): Promise<Readable> {
  const { sbomKey } = await requireReport(context, principal, path)
  return context.downloads.stream({ ...downloaderOf(principal), signal }, () => context.storage.get(sbomKey))
}

async function requireReport(
  context: EnvironmentContext,
  principal: Principal,
  path: BuildPath,
): Promise<ReportKeys> {
  await managedEnvironment(context.db, principal, 'environment.inspect', path.environmentId)
  const attempt = await readBuild(context, principal, path)
  const kept = await findReport(context.db, { companyId: principal.companyId, attemptId: attempt.id })
  if (!kept) throw notFound()
  return kept
}
