-- Written by `npm run sql`; do not edit.

-- A claim of up to 32 runs, where memory sets no bound (server/runs/queue/claim-batch-store.ts). One such statement is executed at
-- a time. Numbers are those of an executor with 8 slots.
/* across companies: the claim serves companies in turn */
with changed as materialized (
  select company_id, chatroom_id, executor, resource_profile, sum(runs)::bigint as runs
  from live_run_changes
  group by company_id, chatroom_id, executor, resource_profile having sum(runs) <> 0
),
held as materialized (
  select coalesce(sum(runs), 0)::bigint as runs
  from (
    select resource_profile, runs
    from live_run_counts
    where company_id = '' and chatroom_id = '' and executor = $1
    union all
    select resource_profile, runs
    from changed
    where executor = $2
  ) numbers
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
    limit $3 offset $4
  )
  union all
  select company_id, busy.runs, served_at, since
  from busy
  join queue_turns using (company_id)
  where busy.runs < coalesce(run_concurrency_limit, $5) and (select runs from held) < 7
),
turns as (
  select company_id, live,
    row_number() over (order by live, served_at nulls first, since, company_id) as turn,
    own.run_timeout_bound_seconds, coalesce(own.run_concurrency_limit, $6) - live as free
  from waiting
  left join company_settings own using (company_id)
),
ready as materialized (
  select turns.company_id, turns.live, turns.turn, turns.free, startable.ids, startable.shorts
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
    rooms as materialized (
      select chatroom_id,
        (
          select coalesce(sum(runs), 0)::bigint
          from (
            select runs
            from live_run_counts
            where company_id = turns.company_id and chatroom_id = room.chatroom_id
            union all
            select runs
            from changed
            where company_id = turns.company_id and chatroom_id = room.chatroom_id
          ) numbers
        ) as live,
        (
          select claimed_at
          from runs
          where chatroom_id = room.chatroom_id and claimed_at is not null
          order by claimed_at desc
          limit 1
        ) as served_at
      from (select distinct chatroom_id from queues) room
    ),
    heads as (
      select head.id, "head"."timeout_seconds" <= 1800 as is_short, rooms.live, rooms.served_at,
        coalesce(head.timeout_seconds > turns.run_timeout_bound_seconds, false) as is_over,
        row_number() over in_room as nth, first_value(head.queued_at) over in_room as since,
        first_value(head.id) over in_room as first
      from queues
      join rooms using (chatroom_id)
      cross join lateral (
        select id, queued_at, timeout_seconds
        from runs
        where state = 'queued' and not waits_for_session and company_id = turns.company_id
          and chatroom_id = queues.chatroom_id and lane = queues.lane
        order by queued_at, id
        limit 36
      ) head
      where "head"."timeout_seconds" <= 1800
        or (
          select runs
          from held
        ) < 7 window in_room as (partition by queues.chatroom_id order by head.queued_at, head.id)
    ),
    in_turn as (
      select id, is_short, is_over,
        row_number() over (order by live + nth, nth, served_at nulls first, since, first) as nth,
        row_number() over (partition by is_over order by live + nth, nth, served_at nulls first, since, first) as nth_alike
      from heads
    )
    select array_agg(id order by nth) as ids, array_agg(is_short order by nth) as shorts
    from in_turn
    where not is_over
      or (
        nth_alike = 1
        and not (
          select (
            own.run_timeout_bound_seconds is not null
            and exists (
              select from runs over
              where over.state in ('starting', 'running', 'cancel_requested')
                and over.company_id = own.company_id and over.timeout_seconds > own.run_timeout_bound_seconds
            )
          )
          from (select turns.company_id, turns.run_timeout_bound_seconds) own
        )
      )
  ) startable
  where startable.ids is not null
  limit 36
),
places as (
  select run.id, ready.company_id, run.is_short, live + run.nth - 1 as live_before,
    row_number() over (order by live + run.nth, run.nth, turn) as place
  from ready
  cross join lateral unnest(ids, shorts) with ordinality as run (id, is_short, nth)
  where run.nth <= least(free, 36)
),
locked as materialized (
  select run.id, run.company_id, picked.place, picked.live_before, picked.is_short
  from (select * from places order by place) picked
  cross join lateral (
    select r.id, r.company_id, r.state, r.waits_for_session
    from runs r
    where r.id = picked.id
    limit 1
    for update skip locked
  ) run
  where run.state = 'queued' and not run.waits_for_session
  limit 32
),
next as (
  select id, company_id, place, live_before
  from (select *, row_number() over (order by place) as nth from locked) run
  where (select runs from held) + nth <= case when live_before > 0 then 7 when is_short then 8 else 7 end
),
before as (
  select id, company_id, state
  from "runs"
  where id = any(array(select id from next)) and company_id = any(array(select company_id from next))
    and state = any($7)
  for update
),
moved as (
  update "runs" t
  set state = $8, "fence" = t.fence + 1, "sandbox_id" = t.id || '_' || (t.fence + 1), "executor" = $9,
    "worker" = $10, "claimed_at" = clock_timestamp(),
    "lease_until" = now() + make_interval(secs => t.timeout_seconds + $11)
  from before
  where t.id = before.id and t.company_id is not distinct from before.company_id
  returning t.*, before.state as from_state
),
recorded as (
  insert into state_events (company_id, entity, entity_id, from_state, to_state)
  select moved.company_id, $12::text, moved.id, from_state, $13::text
  from moved
),
moved_turn as materialized (
  select company_id
  from (select distinct company_id from next) companies
  where pg_try_advisory_xact_lock(7205, hashtext(company_id))
),
served as (
  update queue_turns
  set served_at = clock_timestamp()
  where company_id = any(array(select company_id from moved_turn))
)
select coalesce(
  (
    select json_agg(
      json_build_object(
        'id', moved.id, 'companyId', moved.company_id, 'state', moved.state, 'fence', moved.fence,
        'sandboxId', moved.sandbox_id, 'waitedMs',
        (extract(epoch from moved.claimed_at - moved.queued_at) * 1000)::float8, 'isCompanyBusy',
        next.live_before > 0, 'isLast', queued.are_all
      ) order by next.place
    )
    from moved
    join next using (id)
    cross join (
      select count(*) <= (select count(*) from moved) as are_all
      from (select from runs where state = 'queued' order by company_id, queued_at, id limit 33) still_queued
    ) queued
  ),
    '[]'
) as runs,
  array(
    select company_id
    from turns
    where company_id not in (select company_id from ready)
      and ((select count(*) from ready) < 36 or turn < (select max(turn) from ready))
  ) as passed_over;
