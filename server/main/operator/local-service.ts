import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '../../base/clock.ts'
import { type Config, ConfigInvalid, readConfig } from '../../base/config/config.ts'
import { keysFolder, openKeys } from '../../base/keys/keys.ts'
import type { Peppers } from '../../base/keys/peppers.ts'
import { createLog } from '../../base/logging.ts'
import { connect, type Database } from '../../db/database.ts'
import { type Act, doAct } from '../../operations/acts/act.ts'
import type { AuditEntry } from '../../operations/audit/audit-log.ts'
import { runningPostgresUrl } from '../../postgres/running.ts'
import { asOwnerOf } from './as-owner-of.ts'

export interface LocalService {
  db: Database
  clock: Clock
  peppers: Peppers
  config: Config
}

/** Why the work was refused: invalid settings, or the state of the service. */
export interface ServiceRefusal {
  ok: false
  cause: 'settings' | 'service'
  problems: string[]
}

/** The value, or why the service did not do it. */
export type Outcome<T> = Promise<{ ok: true; value: T } | ServiceRefusal>

/**
 * Works directly on the service of this machine, without its API. It needs the database password of the owner, so
 * root runs it, or the user who started the service without root.
 */
export async function onLocalService<T>(work: (service: LocalService) => Promise<T>): Outcome<T> {
  try {
    const config = readConfig()
    const keys = keysFolder(config.dataDir)
    const url = config.databaseUrl ?? (await runningPostgresUrl(join(config.dataDir, 'postgres')))
    // Keys created here would belong to root, and the service could not read them.
    if (!url || !existsSync(join(keys, 'root.key'))) {
      return refuse('service', `no service has run with the data folder ${config.dataDir}: ${advice}`)
    }
    return { ok: true, value: await connected(config, { url, keys }, work) }
  } catch (error) {
    return refusalOf(error)
  }
}

/** Why work on the service of this machine failed. Throws an error that says nothing about the service. */
export function refusalOf(error: unknown): ServiceRefusal {
  if (error instanceof ConfigInvalid) return refuse('settings', ...error.problems)
  const reason = expected[error instanceof Error && 'code' in error ? String(error.code) : '']
  if (reason === undefined) throw error
  return refuse('service', reason)
}

/** The same for changes by an operator: the audit log records them before they start. */
export const actOnService = <T>(act: AuditEntry, work: (service: LocalService) => Promise<T>): Outcome<T> =>
  doHere({ entry: act, work })

/** Does an act on the service of this machine, as the account that runs this process. */
export const doHere = <T>(act: Act<LocalService, T>, reason?: string): Outcome<T> =>
  onLocalService((service) => doAct(service, act, { account: userInfo().username, reason }))

export const refuse = (cause: ServiceRefusal['cause'], ...problems: string[]): ServiceRefusal => ({
  ok: false,
  cause,
  problems,
})

const advice = 'start it with sandbox up, or name its folder with SANDBOX_DATA'

const expected: Record<string, string> = {
  ECONNREFUSED: `the service's database does not answer: ${advice}`,
  '57P03': `the service's database is starting or stopping: try again`,
  '42P01': `the service's database is not set up yet: ${advice}`,
  EACCES: 'the data folder cannot be read: run this as root, or as whoever started the service',
}

async function connected<T>(
  config: Config,
  { url, keys }: { url: string; keys: string },
  work: (service: LocalService) => Promise<T>,
): Promise<T> {
  // It makes keys that are missing.
  const { peppers } = asOwnerOf(keys, () => openKeys(keys))
  const db = connect(url, { poolSize: 1, log: createLog('admin', config.logLevel, 'stderr'), name: 'admin' })
  try {
    return await work({ db, clock: systemClock, peppers, config })
  } finally {
    await db.destroy()
  }
}
