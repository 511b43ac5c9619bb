import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** By domain; each refers to tables of those before it. */
const domains = [
  'companies',
  'environments',
  'builds',
  'findings',
  'tasks',
  'runs',
  'queue',
  'storage',
  'operations',
]

/** The whole schema of the first release. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const domain of domains) {
    const path = join(import.meta.dirname, 'baseline', `${domain}.sql`)
    await sql.raw(await readFile(path, 'utf8')).execute(db)
  }
}
