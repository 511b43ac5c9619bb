import type { Kysely } from 'kysely'

/** Whether the last success of a webhook took long: then what waits for it has a lane of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('webhooks')
    .addColumn('is_slow', 'boolean', (column) => column.notNull().defaultTo(false))
    .execute()
}
