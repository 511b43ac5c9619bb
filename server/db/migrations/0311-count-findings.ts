import { type Kysely, sql } from 'kysely'
import { countKept } from './count-kept.ts'

const texts = ['rule', 'subject', 'title', 'installed_version', 'fixed_version', 'block_reason']
const lengths = texts.map((column) => `coalesce(octet_length(${column}), 0)`)

/**
 * Counts findings and exceptions to the bytes that a company keeps: the author of an image chooses how many findings there are
 * and the paths in them. Findings of curated environments, which are read from the reports of their builds, are removed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  // The deletion looks for exceptions by it.
  await sql`create index security_exceptions_by_finding on security_exceptions (finding_id)`.execute(db)
  await sql`
    delete from security_findings f using environments e where e.id = f.environment_id and e.company_id is null
  `.execute(db)
  await countKept(db, {
    table: 'security_findings',
    kind: 'findings',
    bytes: `768 + ${lengths.join(' + ')}`,
    isChanged: true,
  })
  await countKept(db, { table: 'security_exceptions', kind: 'findings', bytes: '4096' })
}
