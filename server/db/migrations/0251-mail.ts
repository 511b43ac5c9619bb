import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'

/** E-mail addresses of users, what they want no e-mail about, and the e-mails to send. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(await readFile(join(import.meta.dirname, '0251-mail.sql'), 'utf8')).execute(db)
}
