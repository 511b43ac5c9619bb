import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { accountOf, asAccount } from '../../server/postgres/account.ts'
import { freePort } from '../../server/postgres/free-port.ts'
import { spawnBound } from '../bound-process.ts'
import { databaseUrlVia } from './database-names.ts'

export interface PgbouncerSettings {
  pool_mode: 'session' | 'transaction' | 'statement'
  default_pool_size?: number
  /** Gives out server connections in turn, instead of the one that was used last. */
  server_round_robin?: 0 | 1
}

/** Debian's pgbouncer in front of the database until the test ends; returns the address through it. */
export async function startPgbouncer(url: string, settings: PgbouncerSettings): Promise<string> {
  const { hostname, port: serverPort, username, password } = new URL(url)
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const port = await freePort()
  const account = process.getuid?.() === 0 ? accountOf('sandbox-jobs-postgres') : undefined
  const users = join(folder, 'users')
  const configuration = join(folder, 'pgbouncer.ini')
  const own = {
    ...{ listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '' },
    ...{ auth_type: 'trust', auth_file: users },
    ...settings,
  }
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  await writeFile(users, `"${decodeURIComponent(username)}" "${decodeURIComponent(password)}"\n`)
  await writeFile(
    configuration,
    ['[databases]', `* = host=${hostname} port=${serverPort}`, '[pgbouncer]', ...lines, ''].join('\n'),
  )
  if (account) for (const path of [folder, users, configuration]) await chown(path, account.uid, account.gid)
  const pgbouncer = spawnBound(asAccount(account, ['/usr/sbin/pgbouncer', '--quiet', configuration]))
  onTestFinished(async () => {
    pgbouncer.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  return databaseUrlVia(url, port)
}
