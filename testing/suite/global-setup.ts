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
  const postgres = await startPostgres({ dataDir: folder, settings: { fsync: 'off' } })
  project.provide('tenantTables', await makeTemplate(postgres.url))
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Makes the migrated template on that server. The names of its tables with a `company_id`. */
export async function makeTemplate(serverUrl: string): Promise<string[]> {
  const log = createLog('test', 'silent')
  const admin = connect(serverUrl, { poolSize: 1, log, name: 'test' })
  await admin.executeQuery(CompiledQuery.raw(`create database ${templateName}`))
  await admin.destroy()
  const template = connect(databaseUrl(serverUrl, templateName), { poolSize: 1, log, name: 'test' })
  await migrate(template)
  const tenantTables = await tenantTablesOf(template)
  await template.destroy()
  return tenantTables
}

const freeBytesNeeded = 4 * 1024 ** 3

/** In memory where there is room: each test file makes a database, which takes ten times as long on a disk. */
export function databaseFolder(): string {
  const inMemory = '/dev/shm'
  if (!existsSync(inMemory)) return tmpdir()
  const { bavail, bsize } = statfsSync(inMemory)
  return bavail * bsize >= freeBytesNeeded ? inMemory : tmpdir()
}

async function tenantTablesOf(db: Database): Promise<string[]> {
  const { rows } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns where table_schema = 'public' and column_name = 'company_id'`.execute(
    db,
  )
  return rows.map(({ table_name }) => table_name)
}
