import { type Kysely, sql } from 'kysely'

/**
 * What every submission looks up and writes. Each reference costs a look-up and a lock, each index a write, so a run
 * refers to nothing that one of its other references implies: its room and its task's version are of its company.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table task_versions add unique (company_id, task_id, id);
    alter table runs
      drop constraint runs_company_id_fkey,
      drop constraint runs_chatroom_id_fkey,
      drop constraint runs_task_id_fkey,
      drop constraint runs_task_version_id_fkey,
      add foreign key (company_id, chatroom_id) references chatrooms (company_id, id),
      add foreign key (company_id, task_id, task_version_id) references task_versions (company_id, task_id, id);
    -- An input is stored by the statement that makes its run, and runs are never removed.
    alter table run_inputs
      drop constraint run_inputs_run_id_fkey,
      drop constraint run_inputs_company_id_fkey;
    -- Keys are forgotten within days, whatever becomes of their company.
    alter table idempotency_keys drop constraint idempotency_keys_company_id_fkey;

    -- Events are found by what they happened to.
    alter table state_events drop constraint state_events_pkey, add primary key (entity_id, id);
    drop index state_events_by_entity;
  `.execute(db)
}
