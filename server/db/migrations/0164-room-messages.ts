import { type Kysely, sql } from 'kysely'

/** Messages of the service in rooms, and the setting by which a room gets them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table chatrooms add column announces_runs boolean not null default false;

    -- A message of the service is no human turn: no signed context is ever made for it.
    alter table room_messages drop constraint room_messages_principal_type_check;
    alter table room_messages add constraint room_messages_principal_type_check
      check (principal_type in ('user', 'social_media_client', 'system')) not valid;
    alter table room_messages add column run_id text;
    alter table room_messages add constraint room_messages_of_service
      check ((principal_type = 'system') = (run_id is not null)) not valid;
    create unique index room_messages_one_end on room_messages (run_id) where run_id is not null;
  `.execute(db)
}
