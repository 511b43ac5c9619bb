import { type Kysely, sql } from 'kysely'

/**
 * Since when a version is to move to a newer runner, and when a build for that first failed. A version that was told of a
 * newer runner before has its time from now on.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table environment_versions add column handoff_since timestamptz;
    alter table environment_versions add column handoff_failed_at timestamptz;
    create index environment_versions_handoffs on environment_versions (handoff_since) where handoff_since is not null;
    update environment_versions v set handoff_since = now()
      from environments e join runner_releases r on r.release =
        (select release from runner_releases where approved_at is not null order by approved_at desc limit 1)
      where e.current_version_id = v.id and e.company_id is not null and e.state = 'active'
        and v.runner_release <> r.release;
  `.execute(db)
}
