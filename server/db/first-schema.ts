import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

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
  'schedules',
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

/** The schema of the first release: SQL texts, in the order in which they are applied. */
export const firstSchema: readonly string[] = domains.map((domain) =>
  readFileSync(join(import.meta.dirname, 'schema', `${domain}.sql`), 'utf8'),
)

const digest = createHash('sha256').update(JSON.stringify(firstSchema)).digest('hex').slice(0, 12)

/** Name of its migration. It has the digest of the texts: a database that other texts made is refused, and not taken for this one. */
export const firstMigration = `0001-schema-${digest}`
