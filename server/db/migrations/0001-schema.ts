import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** By domain; each refers to tables of those before it. */
const domains = [
  'companies',
  'keys',
  'environments',
  'builds',
  'findings',
  'tasks',
  'runs',
  'results',
  'queue',
  'sessions',
  'doors',
  'secrets',
  'agents',
  'custom-tables',
  'billing',
  'operations',
  'notifications',
  'storage',
  'audit',
  'audited',
  'counting',
  'counted',
]

/** The whole schema of the first release. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const domain of domains) {
    const path = join(import.meta.dirname, '../schema', `${domain}.sql`)
    await sql.raw(await readFile(path, 'utf8')).execute(db)
  }
}
