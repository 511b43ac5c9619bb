import type { Kysely } from 'kysely'
import { countKept } from './count-kept.ts'

/**
 * What a company declares and archives, and is never removed, counts to the bytes that it keeps: each row as much as the largest one
 * may have, so that their number is bounded too.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['custom_tables', 'custom_table_commands', 'custom_table_triggers'])
    await countKept(db, { table, kind: 'table_definitions', bytes: '32768' })
  await countKept(db, { table: 'secret_approvals', kind: 'secret_approvals', bytes: '16384' })
}
