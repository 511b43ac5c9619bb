import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CompiledQuery, sql } from 'kysely'
import type { TestProject } from 'vitest/node'
import { createLog } from '../../server/base/logging.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { migrate } from '../../server/db/migrate.ts'
import { startPostgres } from '../../server/postgres/postgres.ts'
import { databaseUrl, templateName } from '../database/database-names.ts'
import { copyKept, keep } from './kept-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
    /** Names of the tables with a `company_id`. */
    tenantTables: string[]
  }
}

const buildNative = resolve(import.meta.dirname, '../../server/native-programs/build.ts')

/**
 * One Postgres for the whole test run, with a migrated template that each test file copies, and the native programs
 * compiled from the current sources.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  execFileSync(process.execPath, [buildNative], { stdio: 'inherit' })
  const folder = mkdtempSync(join(databaseFolder(), 'sandbox-test-postgres-'))
  const start = () => startPostgres({ dataDir: folder, settings: { fsync: 'off' } })
  if (!copyKept(folder)) {
    const fresh = await start()
    await makeTemplate(fresh.url)
    await fresh.stop()
    keep(folder)
  }
  const postgres = await start()
  project.provide('tenantTables', await listTenantTables(postgres.url))
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the migrated template on that server. */
export async function makeTemplate(serverUrl: string): Promise<void> {
  const admin = connectTo(serverUrl)
  await admin.executeQuery(CompiledQuery.raw(`create database ${templateName}`))
  await admin.destroy()
  const template = connectTo(databaseUrl(serverUrl, templateName))
  await migrate(template)
  await template.destroy()
}

const log = createLog('test', 'silent')
const connectTo = (url: string): Database => connect(url, { poolSize: 1, log, name: 'test' })

const freeBytesNeeded = 4 * 1024 ** 3

/** In memory where there is room: each test file makes a database, which takes ten times as long on a disk. */
export function databaseFolder(): string {
  const inMemory = '/dev/shm'
  if (!existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= freeBytesNeeded ? inMemory : tmpdir()
}

/** Names of the template's tables with a `company_id`. */
async function listTenantTables(serverUrl: string): Promise<string[]> {
  const template = connectTo(databaseUrl(serverUrl, templateName))
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns where table_schema = 'public' and column_name = 'company_id'`.execute(
    template,
  )
  await template.destroy()
  return rows.map(({ table_name }) => table_name)
}
