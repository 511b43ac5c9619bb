import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { type Config, ConfigInvalid, readConfig } from '../base/config.ts'
import { openKeys } from '../base/keys.ts'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { type ApplyResult, applyCompanyFile } from '../platform/apply/apply-company-file.ts'
import { CompanyFileInvalid } from '../platform/apply/company-yaml.ts'
import { runningPostgresUrl } from '../postgres/running.ts'

export type { ApplyResult } from '../platform/apply/apply-company-file.ts'

/** What came of it: the changes, or what is in the way. A `file` problem is the author's, the others the operator's. */
export type ApplyOutcome =
  | { ok: true; result: ApplyResult }
  | { ok: false; cause: 'settings' | 'file' | 'service'; problems: string[] }

/**
 * Applies the text of a company file to the service of this machine, past its API: it needs to read the data
 * folder, so it is run by root or by the account that the service runs as.
 */
export async function applyCompanies(text: string, options: { dryRun: boolean }): Promise<ApplyOutcome> {
  const refuse = (cause: 'settings' | 'file' | 'service', ...problems: string[]): ApplyOutcome => ({
    ok: false,
    cause,
    problems,
  })
  try {
    const config = readConfig()
    const keysFolder = join(config.dataDir, 'keys')
    const url = config.databaseUrl ?? (await runningPostgresUrl(join(config.dataDir, 'postgres')))
    // Made here they would belong to root, and the service could not read its own keys.
    if (!url || !existsSync(join(keysFolder, 'root.key'))) {
      return refuse('service', `no service has run with the data folder ${config.dataDir}: ${advice}`)
    }
    return { ok: true, result: await applyTo(config, { url, keysFolder }, { text, ...options }) }
  } catch (error) {
    if (error instanceof ConfigInvalid) return refuse('settings', ...error.problems)
    if (error instanceof CompanyFileInvalid) return refuse('file', ...error.problems)
    const reason = expected[error instanceof Error && 'code' in error ? String(error.code) : '']
    if (reason === undefined) throw error
    return refuse('service', reason)
  }
}

const advice = 'start it with sandbox up, or name its folder with SANDBOX_DATA'

const expected: Record<string, string> = {
  ECONNREFUSED: `the service's database does not answer: ${advice}`,
  '57P03': `the service's database is starting or stopping: try again`,
  '42P01': `the service's database is not set up yet: ${advice}`,
  EACCES: 'the data folder cannot be read: run this as root, or as the account that the service runs as',
}

async function applyTo(
  config: Config,
  service: { url: string; keysFolder: string },
  { text, dryRun }: { text: string; dryRun: boolean },
): Promise<ApplyResult> {
  const keys = openKeys(service.keysFolder)
  const db = connect(service.url, { poolSize: 1, log: createLog('admin', config.logLevel), name: 'admin' })
  try {
    const services = { db, clock: systemClock, apiKeyPepper: keys.derive('api-key') }
    return await applyCompanyFile(services, text, { dryRun })
  } finally {
    await db.destroy()
  }
}
