import type { Kysely } from 'kysely'
import { countKept } from './count-kept.ts'

/**
 * Counts the rows about artifacts and refused connections of runs to the bytes that a company keeps: a program chooses how many
 * there are and the names in them. A name of an artifact is in the table and in an index; its row stays when its file is deleted.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await countKept(db, {
    table: 'run_artifacts',
    kind: 'artifacts',
    bytes: 'octet_length(relative_path) * 2 + 512',
  })
  await countKept(db, { table: 'run_refusals', kind: 'refusals', bytes: 'octet_length(entries::text)' })
}
