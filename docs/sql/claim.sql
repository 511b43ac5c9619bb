-- Written by `npm run sql`; do not edit.

-- A claim takes the next run in the order of the queue (server/runs/queue/claim-store.ts).
-- Numbers of runs and MiB are those of a machine with 8 slots and 16 GiB. They stand in the text, as all values do when it
-- is executed (server/db/fast/planned-once.ts). A claim that found nothing to start asks again for further companies.
/* across companies: the claim serves companies in turn */
with changed as materialized (
  select company_id, chatroom_id, executor, resource_profile, sum(runs)::bigint as runs
  from live_run_changes
  group by company_id, chatroom_id, executor, resource_profile having sum(runs) <> 0
),
live as materialized (
  select company_id, chatroom_id, timeout_seconds, claimed_at, resource_profile,
    (
      case "resource_profile" when 'standard' then 1280 when 'performance' then 2560 when 'large' then 5120
      when 'xlarge' then 10240 else 10240 end
    ) as memory,
    coalesce(claimed_at, now()) + make_interval(secs => timeout_seconds + 30) as ends_at
  from runs
  where state in ('starting', 'running', 'cancel_requested') and executor = $1
),
building as materialized (
  select (
    case "build_profile" when 'standard' then 2048 when 'fast' then 4096 when 'large' then 8192 else 8192 end
  ) as memory,
    greatest(started_at + make_interval(secs => 3600), now()) as ends_at
  from build_attempts
  where worker = $2 and terminal_at is null
),
held as materialized (
  select runs, of_runs.memory as run_memory, builds, build_memory,
    of_runs.memory + greatest(build_memory, 2048) as memory
  from (
    select coalesce(sum(runs), 0)::bigint as runs,
      coalesce(
        sum(
          runs * (
            case "resource_profile" when 'standard' then 1280 when 'performance' then 2560
            when 'large' then 5120 when 'xlarge' then 10240 else 10240 end
          )
        ),
        0
      )::bigint as memory
    from (
      select resource_profile, runs
      from live_run_counts
      where company_id = '' and chatroom_id = '' and executor = $3
      union all
      select resource_profile, runs
      from changed
      where executor = $4
    ) numbers
  ) of_runs
  cross join (select count(*) as builds, coalesce(sum(memory), 0) as build_memory from building) of_builds
),
first_runs as materialized (
  select distinct on (company_id) memory, claimed_at
  from live
  order by company_id, claimed_at
),
busy as (
  select live.company_id, live.runs, own.run_concurrency_limit
  from (
    select company_id, sum(runs)::bigint as runs
    from (
      select company_id, runs
      from live_run_counts
      where company_id <> '' and chatroom_id = ''
      union all
      select company_id, runs
      from changed
    ) numbers
    group by company_id having sum(runs) > 0
  ) live
  left join company_settings own using (company_id)
),
waiting as materialized (
  (
    select company_id, 0 as live, served_at, since
    from queue_turns
    where not exists (select from busy where busy.company_id = queue_turns.company_id)
      and (select runs from held) < 8
    order by served_at nulls first, since
    limit $5 offset $6
  )
  union all
  select company_id, busy.runs, served_at, since
  from busy
  join queue_turns using (company_id)
  where busy.runs < coalesce(run_concurrency_limit, $7) and (select runs from held) < 7
),
turns as (
  select company_id, live, row_number() over (order by live, served_at nulls first, since, company_id) as turn
  from waiting
),
waiting_build as materialized (
  select attempt.id, attempt.company_id, attempt.queued_at, attempt.memory, reserved.reserved_at
  from build_memory_turn reserved
  cross join lateral (
    select id, company_id, queued_at, state,
      (
        case "build_profile" when 'standard' then 2048 when 'fast' then 4096 when 'large' then 8192
        else 8192 end
      ) as memory
    from build_attempts
    where build_attempts.id = reserved.attempt_id
    limit 1
  ) attempt
  where reserved.executor = $8 and reserved.renewed_at > now() - make_interval(secs => 30)
    and attempt.state = 'validation_queued'
),
waiting_run as materialized (
  select larger.*
  from (select * from "waiting" order by live, served_at nulls first, since, company_id) company
  cross join lateral (
    select id, company_id, queued_at, timeout_seconds, resource_profile,
      (
        case "resource_profile" when 'standard' then 1280 when 'performance' then 2560 when 'large' then 5120
        when 'xlarge' then 10240 else 10240 end
      ) as memory
    from runs
    where state = 'queued' and company_id = company.company_id and resource_profile <> 'standard'
      and not waits_for_session
    order by queued_at, id
    limit 1
  ) larger
  where (select memory from held) + coalesce((select memory from waiting_build), 0) + larger.memory > 15104
    -- If even the largest profile fits, no queue is read.
    and (select memory from held) + coalesce((select memory from waiting_build), 0) + 10240 > 15104
    and ("larger"."timeout_seconds" <= 1800 or (select runs from held) < 7)
    and (
      select "larger"."timeout_seconds" > own.run_timeout_bound_seconds
        and (
          own.run_timeout_bound_seconds is not null
          and exists (
            select from runs over
            where over.state in ('starting', 'running', 'cancel_requested')
              and over.company_id = own.company_id and over.timeout_seconds > own.run_timeout_bound_seconds
          )
        )
      from company_settings own
      where own.company_id = "company"."company_id"
    ) is not true
  limit 1
),
goes_first as materialized (
  select case when run.since < build.since then run.id else build.id end as id
  from (
    select id,
      greatest(
        queued_at,
        (
          select max(claimed_at)
          from live
          where live.company_id = waiting_run.company_id and resource_profile <> 'standard'
        ),
        (
          select terminal_at
          from runs
          where company_id = waiting_run.company_id and resource_profile = waiting_run.resource_profile
            and terminal_at is not null and started_at is not null
          order by terminal_at desc
          limit 1
        )
      ) as since
    from waiting_run
  ) run
  cross join (
    select id,
      greatest(
        queued_at,
        (
          select started_at
          from build_attempts
          where company_id = waiting_build.company_id and started_at is not null
          order by started_at desc
          limit 1
        )
      ) as since
    from waiting_build
  ) build
),
wanted as materialized (
  select of_both.*, start.at as starts_at, start.free - of_both.memory as beside, start.unused
  from (
    -- A run leaves the part for builds, a build is what it is for.
    select id, queued_at as reserved_at, memory, 2048 as for_builds,
      now() + make_interval(secs => timeout_seconds + 30) as ends_at
    from waiting_run
    union all
    select id, reserved_at, memory, 0, now() + make_interval(secs => 3600)
    from waiting_build
  ) of_both
  cross join lateral (
    select at, free, unused
    from (
      select ended.at,
        15104 - (held.run_memory - ended.run_memory) - greatest(
          held.build_memory - ended.build_memory, of_both.for_builds
        ) as free,
        greatest(of_both.for_builds - (held.build_memory - ended.build_memory), 0) as unused
      from held
      cross join (
        select at, sum(run_memory) over (order by at) as run_memory,
          sum(build_memory) over (order by at) as build_memory
        from (
          select ends_at as at, memory as run_memory, 0 as build_memory
          from live
          union all
          select ends_at, 0, memory
          from building
          union all
          select now(), 0, 0
        ) ends
      ) ended
    ) times
    where free >= of_both.memory
    order by at
    limit 1
  ) start
),
reservations as materialized (
  -- A run or build that has to wait for the other one reserves nothing before that has started.
  select id, reserved_at, starts_at, beside, unused
  from wanted
  where not exists (
    select from wanted other
    join goes_first on goes_first.id = other.id
    where other.id <> wanted.id and wanted.ends_at > other.starts_at
      and wanted.memory - other.unused > other.beside
  )
),
next as (
  select head.*, turns.turn, turns.live
  from (select * from turns order by turn) turns
  cross join lateral (
    with recursive queues as (
      (
        select chatroom_id, lane
        from runs
        where state = 'queued' and not waits_for_session and company_id = turns.company_id
        order by chatroom_id, lane
        limit 1
      )
      union all
      select further.*
      from queues
      cross join lateral (
        select chatroom_id, lane
        from runs
        where state = 'queued' and not waits_for_session and company_id = turns.company_id
          and (chatroom_id, lane) > (queues.chatroom_id, queues.lane)
        order by chatroom_id, lane
        limit 1
      ) further
    ),
    heads as (
      select head.id, head.queued_at, served.claimed_at as room_served_at,
        (
          select coalesce(sum(runs), 0)::bigint
          from (
            select runs
            from live_run_counts
            where company_id = turns.company_id and chatroom_id = queues.chatroom_id
            union all
            select runs
            from changed
            where company_id = turns.company_id and chatroom_id = queues.chatroom_id
          ) numbers
        ) as room_live
      from queues
      left join lateral (
        select claimed_at
        from runs
        where chatroom_id = queues.chatroom_id and claimed_at is not null
        order by claimed_at desc
        limit 1
      ) served on true
      cross join lateral (
        select id, queued_at, timeout_seconds, resource_profile,
          (
            case "resource_profile" when 'standard' then 1280 when 'performance' then 2560
            when 'large' then 5120 when 'xlarge' then 10240 else 10240 end
          ) as memory
        from runs
        where state = 'queued' and not waits_for_session and company_id = turns.company_id
          and chatroom_id = queues.chatroom_id and lane = queues.lane
        order by queued_at, id
        limit 4
      ) head
      where ("head"."timeout_seconds" <= 1800 or (select runs from held) < 7)
        and (
          select "head"."timeout_seconds" > own.run_timeout_bound_seconds
            and (
              own.run_timeout_bound_seconds is not null
              and exists (
                select from runs over
                where over.state in ('starting', 'running', 'cancel_requested')
                  and over.company_id = own.company_id
                  and over.timeout_seconds > own.run_timeout_bound_seconds
              )
            )
          from company_settings own
          where own.company_id = "turns"."company_id"
        ) is not true
        and (
          select memory
          from held
        ) + head.memory <= 16384 - case when (
          turns.live = 0 and "head"."timeout_seconds" <= 1800 and head.resource_profile = 'standard'
        ) then 0 else 1280 end
        and not exists (
          select from reservations
          where reservations.id <> head.id and head.id is distinct from (select id from goes_first)
            and now() + make_interval(secs => head.timeout_seconds + 30) > reservations.starts_at
            and head.memory > reservations.beside
            and not (
              (turns.live = 0 and "head"."timeout_seconds" <= 1800 and head.resource_profile = 'standard')
              and head.memory + (
                select coalesce(sum(memory), 0)
                from first_runs
                where claimed_at > reservations.reserved_at
              ) <= 1280
            )
        )
    )
    select run.id, run.company_id
    from (select id from heads order by room_live, room_served_at nulls first, queued_at, id) heads
    cross join lateral (
      select r.id, r.company_id, r.state, r.waits_for_session
      from runs r
      where r.id = heads.id
      limit 1
      for update skip locked
    ) run
    where run.state = 'queued' and not run.waits_for_session
    limit 1
  ) head
  limit 1
),
moved_turn as materialized (
  select company_id
  from next
  where pg_try_advisory_xact_lock(7205, hashtext(company_id))
),
served as (
  update queue_turns
  set served_at = clock_timestamp()
  where company_id = (select company_id from moved_turn)
),
before as (
  select id, company_id, state
  from "runs"
  where id = (select id from next) and company_id is not distinct from (select company_id from next)
    and state = any($9)
  for update
),
moved as (
  update "runs" t
  set state = $10, "fence" = t.fence + 1, "sandbox_id" = t.id || '_' || (t.fence + 1), "executor" = $11,
    "worker" = $12, "claimed_at" = clock_timestamp(),
    "lease_until" = now() + make_interval(secs => t.timeout_seconds + $13)
  from before
  where t.id = (select id from next) and t.company_id is not distinct from before.company_id
  returning t.*, before.state as from_state
),
recorded as (
  insert into state_events (company_id, entity, entity_id, from_state, to_state)
  select moved.company_id, $14::text, moved.id, from_state, $15::text
  from moved
)
select moved.id, moved.company_id as "companyId", moved.state, moved.fence, moved.sandbox_id as "sandboxId",
  (extract(epoch from moved.claimed_at - moved.queued_at) * 1000)::float8 as "waitedMs",
  next.live > 0 as "isCompanyBusy",
  array(select company_id from turns where next.turn is null or turns.turn < next.turn) as passed_over,
  (
    select count(*)
    from (select from runs where state = 'queued' order by company_id, queued_at, id limit 2) queued
  ) < 2 as "isLast"
from (select) one
left join next on true
left join moved on true;
