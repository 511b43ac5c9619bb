import { lstatSync, statSync } from 'node:fs'
import { systemClock } from '../../base/clock.ts'
import { type Config, ConfigInvalid, readConfig, readConfigOfFile } from '../../base/config/config.ts'
import { externalLogProblem } from '../../operations/backup/archive/kept-log.ts'
import { checkRecipients, EncryptionProblem } from '../../operations/backup/encryption/age.ts'
import { unsafeFolder } from '../../operations/backup/schedule/unsafe-folder.ts'
import { tryLogin } from '../../postgres/bootstrap-store.ts'
import { bucketProblem } from '../../storage/open-storage.ts'
import { accountsOrCaller } from '../all.ts'
import { checkWayIn } from '../supervisor/host/data-folder.ts'
import { checkRestored } from '../supervisor/host/restore-mark.ts'
import type { ServiceAccounts } from '../supervisor/host/service-accounts.ts'
import { ServiceProblem } from '../supervisor/service-problem.ts'
import { type Finding, problem, warning } from './finding.ts'
import { checkKeyFiles } from './key-files.ts'
import { checkNamedFiles } from './named-files.ts'
import { unusedSettings } from './unused-settings.ts'

export type { Finding } from './finding.ts'

/**
 * Every finding about the settings of the environment, or of a file of `NAME=value` lines, as a start would read them. It changes
 * nothing, and needs no running service. `sandbox doctor` checks the machine.
 */
export async function checkSettings(environmentFile?: string, now = systemClock.now()): Promise<Finding[]> {
  const read = orFindings(() =>
    environmentFile === undefined ? readConfig() : readConfigOfFile(environmentFile),
  )
  if (read.value === undefined) return read.findings
  const config = read.value
  const accounts = orFindings(() => accountsOrCaller(config))
  return [
    ...accounts.findings,
    ...dataFolderFindings(config, accounts.value),
    ...checkNamedFiles(config, accounts.value, now),
    ...(accounts.value ? checkKeyFiles(config.dataDir, accounts.value) : []),
    ...backupFindings(config),
    ...[externalLogProblem(config) ?? []].flat().map(problem),
    ...(await recipientFindings(config)),
    ...(await databaseFindings(config)),
    ...(await bucketFindings(config)),
    ...unusedSettings(config),
  ]
}

function dataFolderFindings({ dataDir }: Config, accounts: ServiceAccounts | undefined): Finding[] {
  const found = lstatSync(dataDir, { throwIfNoEntry: false })
  if (!found) return []
  if (!found.isDirectory())
    return [problem(`SANDBOX_DATA: ${dataDir} must be a folder, and not a link to one`)]
  const checks = [
    () => checkRestored(dataDir),
    ...Object.values(accounts ?? {}).map((account) => () => checkWayIn(dataDir, account)),
  ]
  return checks.flatMap((check) => orFindings(check).findings)
}

function backupFindings({ backupFolder, dataDir }: Config): Finding[] {
  if (backupFolder === undefined) return []
  const unsafe = unsafeFolder(backupFolder)
  if (unsafe) return [problem(`SANDBOX_BACKUP_FOLDER: ${backupFolder} ${unsafe}`)]
  const data = statSync(dataDir, { throwIfNoEntry: false })
  return data?.dev === statSync(backupFolder).dev
    ? [warning(`SANDBOX_BACKUP_FOLDER: ${backupFolder} is on the disk of SANDBOX_DATA, and is lost with it`)]
    : []
}

async function recipientFindings({ backupRecipients }: Config): Promise<Finding[]> {
  try {
    await checkRecipients(backupRecipients)
    return []
  } catch (error) {
    if (!(error instanceof EncryptionProblem)) throw error
    return [problem(`SANDBOX_BACKUP_RECIPIENTS: no backup can be made: ${error.message}`)]
  }
}

async function bucketFindings(config: Config): Promise<Finding[]> {
  const found = await bucketProblem(config)
  return found ? [problem(found.message)] : []
}

const databaseFaults: Record<string, string> = {
  '28P01': 'the password is wrong',
  '28000': 'the role may not log in',
  '3D000': 'there is no such database',
  ECONNREFUSED: 'nothing listens at the address',
  ENOTFOUND: 'the host is unknown',
}

/** The embedded database starts with the service. */
async function databaseFindings(config: Config): Promise<Finding[]> {
  const addresses = Object.entries({
    DATABASE_URL: config.databaseUrl,
    SANDBOX_API_DATABASE_URL: config.apiDatabaseUrl,
    SANDBOX_WORKER_DATABASE_URL: config.workerDatabaseUrl,
    SANDBOX_OPERATOR_DATABASE_URL: config.operatorDatabaseUrl,
  })
  const found = await Promise.all(
    addresses.map(async ([setting, url]) => ({ setting, code: url && (await tryLogin(url)) })),
  )
  return found.flatMap(({ setting, code }) =>
    code ? [problem(`${setting}: no login to the database: ${databaseFaults[code] ?? code}`)] : [],
  )
}

/** The value, or the reasons for which a start refuses. */
function orFindings<T>(work: () => T): { value?: T; findings: Finding[] } {
  try {
    return { value: work(), findings: [] }
  } catch (error) {
    if (error instanceof ConfigInvalid) return { findings: error.problems.map(problem) }
    if (error instanceof ServiceProblem) return { findings: [problem(error.message)] }
    throw error
  }
}
