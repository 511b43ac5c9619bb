import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { newToken } from '../../server/base/ids.ts'
import { accountOf, asAccount } from '../../server/postgres/account.ts'
import { awaitDatabase, databaseUrl } from '../../server/postgres/bootstrap-store.ts'
import { freePort } from '../../server/postgres/free-port.ts'
import { settingArguments } from '../../server/postgres/settings.ts'
import { databaseFolder, makeTemplate } from './global-setup.ts'

const versions = '/usr/lib/postgresql'
const oldestSupported = 15

/** Programs of the oldest supported Postgres of this machine, if no others are named; Debian 12 has version 15. */
function findPrograms(): string {
  const { TEST_POSTGRES_PROGRAMS: named } = process.env
  if (named !== undefined) return named
  const found = existsSync(versions) ? readdirSync(versions).map(Number) : []
  const [oldest] = found.filter((version) => version >= oldestSupported).toSorted((a, b) => a - b)
  if (oldest === undefined) throw new Error('there is no Postgres of Debian: run install/test-postgres.sh')
  return join(versions, String(oldest), 'bin')
}

/** The oldest supported Postgres for the tests of one project: Debian's program, or a named one, with a cluster of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const programs = findPrograms()
  const folder = mkdtempSync(join(databaseFolder(), 'sandbox-test-postgres-'))
  const account = accountOf('sandbox-jobs-postgres')
  const passwordFile = join(folder, 'password')
  const superuserPassword = newToken()
  writeFileSync(passwordFile, superuserPassword)
  if (account) for (const path of [folder, passwordFile]) chownSync(path, account.uid, account.gid)
  const cluster = join(folder, 'cluster')
  const [initdb = '', ...initArguments] = asAccount(account, [
    ...[`${programs}/initdb`, `--pgdata=${cluster}`, `--pwfile=${passwordFile}`, '--username=postgres'],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
  ])
  execFileSync(initdb, initArguments, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
  const port = await freePort()
  const settings = settingArguments(port, { fsync: 'off' })
  const command = [`${programs}/postgres`, '-D', cluster, ...settings]
  const [program = '', ...serverArguments] = asAccount(account, command, 'INT')
  const server = spawn(program, serverArguments, { cwd: '/', stdio: 'ignore' })
  const exited = once(server, 'exit')
  const login = {
    ...{ port, password: newToken(), superuserPassword },
    ...{ apiPassword: newToken(), workerPassword: newToken(), operatorPassword: newToken() },
  }
  await awaitDatabase(login, AbortSignal.timeout(60_000))
  const url = databaseUrl(login)
  await makeTemplate(url)
  project.provide('postgresUrl', url)
  return async () => {
    server.kill('SIGINT')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
}
