import { type Kysely, sql } from 'kysely'

/**
 * What is done about new runs, once for all that a statement makes: for each row alone, Postgres spends more on its
 * references than on the row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await references(db)
  await turns(db)
  await rows(db)
  await sql`
    create function note_made_runs() returns trigger language plpgsql as $$
    begin
      -- Each by its key: in any other form Postgres may read whole tables.
      if exists (
        select from news where
          (select id from chatrooms where id = news.chatroom_id and company_id = news.company_id) is null
          or (select id from task_versions where id = news.task_version_id and company_id = news.company_id
            and task_id = news.task_id) is null
          or (select id from environment_versions where id = news.environment_version_id) is null
          or news.share_grant_id is not null
            and (select id from share_grants where id = news.share_grant_id) is null
      ) then
        raise foreign_key_violation using message = 'a run refers to a row that is not there';
      end if;
      perform take_turns(array(select distinct company_id from news where state = 'queued'));
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
    drop trigger queued_take_turns on runs;
    drop trigger count_made_runs on runs;
    drop function queued_take_turns, count_made_runs;
    create trigger note_made_runs after insert on runs referencing new table as news
      for each statement execute function note_made_runs();
  `.execute(db)
}

/** The other side of the references: what a run refers to stays, and so does which rows it refers to. */
async function references(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table runs
      drop constraint runs_company_id_chatroom_id_fkey,
      drop constraint runs_company_id_task_id_task_version_id_fkey,
      drop constraint runs_environment_version_id_fkey,
      drop constraint runs_share_grant_id_fkey;

    create function keep_referred() returns trigger language plpgsql as $$
    declare referred boolean;
    begin
      -- Who is making runs is waited for; who comes later is told what has become of the row.
      lock table runs in share mode;
      execute format('select exists (select from runs where %I = $1)', tg_argv[0]) into referred using old.id;
      if referred then
        raise foreign_key_violation using message = format('a run refers to this row of %I', tg_table_name);
      end if;
      return null;
    end $$;
    create trigger keep_referred after delete or update of id, company_id on chatrooms
      for each row execute function keep_referred('chatroom_id');
    create trigger keep_referred after delete or update of id, company_id, task_id on task_versions
      for each row execute function keep_referred('task_version_id');
    create trigger keep_referred after delete or update of id on environment_versions
      for each row execute function keep_referred('environment_version_id');
    create trigger keep_referred after delete or update of id on share_grants
      for each row execute function keep_referred('share_grant_id');

    create function keep_references() returns trigger language plpgsql as $$
    begin
      raise foreign_key_violation using message = 'what a run refers to does not change';
    end $$;
    create trigger keep_references
      before update of company_id, chatroom_id, task_id, task_version_id, environment_version_id, share_grant_id
      on runs for each row execute function keep_references();
  `.execute(db)
}

/** What is written and checked of each row. */
async function rows(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- The front of all queues is asked for where the host bounds them together, so that few rows are to be sorted.
    drop index runs_queue_order;
    -- New runs have no detail, and the pattern costs as much as the rest of the checks.
    alter table runs drop constraint runs_error_detail_check, add constraint runs_error_detail_check
      check (error_detail = '' or error_detail ~ '^[A-Za-z0-9._@:/+=%;-]{1,128}$');
  `.execute(db)
}

/** Turns that are there, as most are, are only held. */
async function turns(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function take_turns(company_ids text[]) returns void language plpgsql as $$
    declare held int;
    begin
      loop
        perform from queue_turns where company_id = any(company_ids) for key share;
        get diagnostics held = row_count;
        exit when held = cardinality(company_ids);
        insert into queue_turns (company_id, served_at)
        select company_id, (
          select claimed_at from runs where runs.company_id = asked.company_id and claimed_at is not null
          order by claimed_at desc limit 1)
        from unnest(company_ids) as asked (company_id) order by company_id
        on conflict do nothing;
      end loop;
    end $$;
  `.execute(db)
}
