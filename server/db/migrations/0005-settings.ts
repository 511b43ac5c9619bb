import { type Kysely, sql } from 'kysely'

/** What a company has settled for itself and its operator for it, and the indexes of lists that span rooms. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table company_settings (
      company_id text primary key references companies,
      -- Raised by every write of a company manager, who names the one last read.
      policy_version int not null default 1 check (policy_version >= 1),
      run_content_retention_days int not null check (run_content_retention_days between 1 and 365),
      unreferenced_image_retention_days int not null check (unreferenced_image_retention_days between 1 and 90),
      allowed_regions text[] not null check (cardinality(allowed_regions) >= 1),
      -- The rest is the operator's: no tenant route writes it.
      runtime_egress_enabled boolean not null default true,
      timeout_ceiling_seconds int not null check (timeout_ceiling_seconds between 1 and 604680),
      active_environment_limit int not null check (active_environment_limit >= 0),
      capacity_retained_version_limit int not null check (capacity_retained_version_limit >= 0),
      updated_at timestamptz not null default now()
    );

    create index bindings_history_of_task on bindings (task_id, id);
    create index bindings_history_of_room on bindings (chatroom_id, id);
    create index runs_by_company on runs (company_id, queued_at desc, id desc);
  `.execute(db)
}
