import { type Kysely, sql } from 'kysely'
import { countKept } from './count-kept.ts'

/** Rooms that a person has marked: they come first in lists of rooms. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table favorite_chatrooms (
      user_id text not null,
      chatroom_id text not null,
      company_id text not null references companies,
      primary key (user_id, chatroom_id),
      foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
      foreign key (company_id, user_id) references users (company_id, id)
    )
  `.execute(db)
  await countKept(db, { table: 'favorite_chatrooms', kind: 'directory', bytes: '384' })
}
