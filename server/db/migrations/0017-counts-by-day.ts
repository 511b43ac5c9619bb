import { type Kysely, sql } from 'kysely'

/**
 * Runs counted by the day (UTC) on which they were queued too, so that the total of a stretch of time costs what the
 * number of its days costs. `-infinity`: of all days.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Nothing may be made or end between the counting and the new triggers.
    lock table runs in share row exclusive mode;
    truncate run_counts, run_count_changes;
    alter table run_counts add column day date not null, drop constraint run_counts_pkey, add primary key
      (company_id, task_id, day, chatroom_id, principal_type, submission_source, state);
    alter table run_count_changes add column day date not null;

    create or replace function count_made_runs() returns trigger language plpgsql as $$
    begin
      insert into run_count_changes
        (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
      select company_id, task_id, (queued_at at time zone 'UTC')::date as day, chatroom_id, principal_type,
        submission_source, counted.state, count(*)
      from news cross join lateral (
        select '' as state union all select news.state where news.terminal_at is not null
      ) counted
      group by company_id, task_id, day, chatroom_id, principal_type, submission_source, counted.state;
      return null;
    end $$;

    create or replace function count_ended_run() returns trigger language plpgsql as $$
    begin
      insert into run_count_changes
        (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
      values (new.company_id, new.task_id, (new.queued_at at time zone 'UTC')::date, new.chatroom_id,
        new.principal_type, new.submission_source, new.state, 1);
      return null;
    end $$;

    insert into run_count_changes
      (company_id, task_id, day, chatroom_id, principal_type, submission_source, state, runs)
    select company_id, task_id, (queued_at at time zone 'UTC')::date as day, chatroom_id, principal_type,
      submission_source, counted.state, count(*)
    from runs cross join lateral (
      select '' as state union all select runs.state where runs.terminal_at is not null
    ) counted
    group by company_id, task_id, day, chatroom_id, principal_type, submission_source, counted.state;
  `.execute(db)
}
