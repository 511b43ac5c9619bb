import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery } from 'kysely'
import type { TestProject } from 'vitest/node'
import { createLog } from '../base/logging.ts'
import { connect } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { startPostgres } from '../postgres/postgres.ts'
import { databaseUrl, templateName } from './database-names.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgresUrl: string
  }
}

/** One Postgres for the whole test run, with a migrated template that each test file copies. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-postgres-'))
  const postgres = await startPostgres({ dataDir: folder })
  const log = createLog('test', 'silent')
  const admin = connect(postgres.url, { poolSize: 1, log, name: 'test' })
  await admin.executeQuery(CompiledQuery.raw(`create database ${templateName}`))
  await admin.destroy()
  const template = connect(databaseUrl(postgres.url, templateName), { poolSize: 1, log, name: 'test' })
  await migrate(template)
  await template.destroy()
  project.provide('postgresUrl', postgres.url)
  return async () => {
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
