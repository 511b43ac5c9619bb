import { type RawBuilder, sql } from 'kysely'
import { missedChannel } from './commit-notifier.ts'
import type { Executing } from './database.ts'

/*
 * Notifications of changes. A transaction that changes durable rows never calls `pg_notify`: Postgres holds one lock from the
 * notification until the disk has the commit, so such commits wait for the disk one after another. It calls
 * `notify_after_commit`, and its process notifies once it has committed (`commit-notifier.ts`).
 */

/** Expression: listeners are notified after the commit of its transaction. A rollback may notify them too: they find nothing. */
export const afterCommit = (channel: string, payload = ''): RawBuilder<unknown> =>
  sql`notify_after_commit(${sql.lit(channel)}, ${payload})`

/** Notifies listeners once the transaction has committed. */
export async function notifyAfterCommit(db: Executing, channel: string, payload = ''): Promise<void> {
  await sql`select ${afterCommit(channel, payload)}`.execute(db)
}

/** A process that starts does this: it may have been killed between its last commits and their notifications. */
export const notifyMissed = (db: Executing): Promise<void> => notifyAfterCommit(db, missedChannel)
