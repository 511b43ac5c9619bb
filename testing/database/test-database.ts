import { randomBytes } from 'node:crypto'
import { CompiledQuery, sql } from 'kysely'
import { afterAll, inject } from 'vitest'
import { createLog } from '../../server/base/logging.ts'
import { connect, type Database } from '../../server/db/database.ts'
import { databaseUrl, templateName } from './database-names.ts'

export interface TestDatabase {
  db: Database
  /** For code that connects by itself, as a second process would. */
  url: string
}

/** A separate database for the calling test file, dropped after its tests. */
export const createTestDatabase = (): Promise<TestDatabase> =>
  createDatabase(`template ${templateName} strategy file_copy`)

/** The same without a schema. */
export const createEmptyDatabase = (): Promise<TestDatabase> => createDatabase('')

async function createDatabase(from: string): Promise<TestDatabase> {
  const serverUrl = inject('postgresUrl')
  const log = createLog('test', 'silent')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = connect(serverUrl, { poolSize: 1, log, name: 'test' })
  await admin.executeQuery(CompiledQuery.raw(`create database ${name} ${from}`))
  const url = databaseUrl(serverUrl, name)
  const db = connect(url, { poolSize: 10, log, name: 'test' })
  afterAll(async () => {
    await db.destroy()
    await dropDatabase(admin, name)
    await admin.destroy()
  })
  return { db, url }
}

/**
 * Closes connections that a test left open, then drops the database. `with (force)` would also try to end an
 * autovacuum worker, which only a superuser may; a plain drop signals such a worker to stop and waits.
 */
async function dropDatabase(admin: Database, name: string): Promise<void> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${name} and usename = current_user`.execute(admin)
  await admin.executeQuery(CompiledQuery.raw(`drop database ${name}`))
}
