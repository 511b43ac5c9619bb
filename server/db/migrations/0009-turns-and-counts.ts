import { type Kysely, sql } from 'kysely'

/**
 * Whose turn it is and how many runs there are, kept by the database with every row that changes them: so a claim costs
 * the same however many companies wait, and a total the same however many runs it counts.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await turns(db)
  await counts(db)
}

async function turns(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Every company that has queued runs, and maybe some that have none any more: those are dropped when their turn comes.
    create table queue_turns (
      company_id text primary key,
      served_at timestamptz,
      since timestamptz not null default clock_timestamp()
    );
    create index queue_turns_order on queue_turns (served_at nulls first, since);

    -- A turn that is there is held until this commits: whoever drops idle turns does not see yet what is queued here.
    create function take_turns(company_ids text[]) returns void language plpgsql as $$
    declare held int;
    begin
      loop
        insert into queue_turns (company_id, served_at)
        select company_id, (
          select claimed_at from runs where runs.company_id = asked.company_id and claimed_at is not null
          order by claimed_at desc limit 1)
        from unnest(company_ids) as asked (company_id) order by company_id
        on conflict do nothing;
        perform from queue_turns where company_id = any(company_ids) for key share;
        get diagnostics held = row_count;
        exit when held = cardinality(company_ids);
      end loop;
    end $$;

    create function queued_take_turns() returns trigger language plpgsql as $$
    begin
      perform take_turns(array(select distinct company_id from news where state = 'queued'));
      return null;
    end $$;
    create trigger queued_take_turns after insert on runs referencing new table as news
      for each statement execute function queued_take_turns();

    create function requeued_takes_turn() returns trigger language plpgsql as $$
    begin
      perform take_turns(array[new.company_id]);
      return null;
    end $$;
    create trigger requeued_takes_turn after update on runs
      for each row when (new.state = 'queued' and old.state <> 'queued') execute function requeued_takes_turn();

    select take_turns(array(select distinct company_id from runs where state = 'queued'));
  `.execute(db)
}

async function counts(db: Kysely<unknown>): Promise<void> {
  await sql`
    -- Runs that were made (no state) and that ended (the state they ended in). Live ones are few and counted themselves.
    create table run_counts (
      company_id text not null,
      -- empty: of all tasks together
      task_id text not null,
      chatroom_id text not null,
      principal_type text not null,
      submission_source text not null,
      state text not null,
      runs bigint not null,
      primary key (company_id, task_id, chatroom_id, principal_type, submission_source, state)
    );
    -- What is not in run_counts yet. Rows are only added, so that no transaction waits for another to count.
    create table run_count_changes (
      place bigint generated always as identity primary key,
      company_id text not null,
      task_id text not null,
      chatroom_id text not null,
      principal_type text not null,
      submission_source text not null,
      state text not null,
      runs bigint not null
    );
    create index run_count_changes_by_company on run_count_changes (company_id);

    create function count_made_runs() returns trigger language plpgsql as $$
    begin
      insert into run_count_changes (company_id, task_id, chatroom_id, principal_type, submission_source, state, runs)
      select company_id, task_id, chatroom_id, principal_type, submission_source, counted.state, count(*)
      from news cross join lateral (
        select '' as state union all select news.state where news.terminal_at is not null
      ) counted
      group by company_id, task_id, chatroom_id, principal_type, submission_source, counted.state;
      return null;
    end $$;
    create trigger count_made_runs after insert on runs referencing new table as news
      for each statement execute function count_made_runs();

    create function count_ended_run() returns trigger language plpgsql as $$
    begin
      insert into run_count_changes (company_id, task_id, chatroom_id, principal_type, submission_source, state, runs)
      values (new.company_id, new.task_id, new.chatroom_id, new.principal_type, new.submission_source, new.state, 1);
      return null;
    end $$;
    create trigger count_ended_run after update on runs
      for each row when (new.terminal_at is not null and old.terminal_at is null) execute function count_ended_run();

    insert into run_count_changes (company_id, task_id, chatroom_id, principal_type, submission_source, state, runs)
    select company_id, task_id, chatroom_id, principal_type, submission_source, counted.state, count(*)
    from runs cross join lateral (
      select '' as state union all select runs.state where runs.terminal_at is not null
    ) counted
    group by company_id, task_id, chatroom_id, principal_type, submission_source, counted.state;
  `.execute(db)
}
