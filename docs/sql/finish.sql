-- Written by `npm run sql`; do not edit.

-- The end of a run that left all that a run can: results, artifacts, refused connections, a changed session
-- (server/runs/drive/finish-run.ts). Triggers on `runs`, `state_events` and the tables of results do the rest (triggers.md).
with before as (
  select id, company_id, state
  from "runs"
  where id = $1 and company_id is not distinct from $2 and fence = $3 and state = any($4)
  for update
),
moved as (
  update "runs" t
  set state = $5, "error_code" = $6, "error_detail" = $7, "exit_code" = $8, "failure_stage" = $9,
    "failure_source" = $10, "terminal_at" = clock_timestamp(), "lease_until" = $11, "peak_memory_bytes" = $12,
    "cpu_ms" = $13, "measured_ingress_bytes" = $14, "measured_egress_bytes" = $15,
    "started_at" = coalesce(t.started_at, greatest(t.claimed_at, now() - make_interval(secs => $16)))
  from before
  where t.id = $17 and t.company_id is not distinct from before.company_id
  returning t.*, before.state as from_state
),
recorded as (
  insert into state_events (company_id, entity, entity_id, from_state, to_state)
  select moved.company_id, $18::text, moved.id, step.from_state, step.to_state
  from moved
  join (
    values ('starting', 0, 'starting', 'running'), ('starting', 1, 'running', 'completed'),
    ('running', 0, 'running', 'completed'), ('cancel_requested', 0, 'cancel_requested', 'completed')
  ) as step (left_state, at, from_state, to_state) on left_state = moved.from_state
  order by step.at
),
content as (
  insert into run_contents (
    run_id, company_id, output_key, output_bytes, output_digest, log_key, log_bytes, log_digest, bundle_key,
    bundle_bytes, refused_rule, refused_path
  )
  select id, company_id, $19::text, $20::bigint, $21::text, $22::text, $23::bigint, $24::text, $25::text,
    $26::bigint, $27::text, $28::text
  from moved
),
artifacts as (
  insert into run_artifacts (
    id, run_id, company_id, relative_path, path_hash, bundle_offset, byte_size, digest, modified_at,
    declared_content_type
  )
  select artifact.id, moved.id, moved.company_id, relative_path, path_hash, bundle_offset, byte_size, digest,
    to_timestamp(nullif(modified_at, 0)), 'application/octet-stream'
  from moved
  cross join unnest(
    $29::text[], $30::text[], $31::text[], $32::bigint[], $33::bigint[], $34::text[], $35::bigint[]
  ) as artifact (id, relative_path, path_hash, bundle_offset, byte_size, digest, modified_at)
),
refusals as (
  insert into run_refusals (run_id, company_id, entries, more)
  select id, company_id, $36::jsonb, $37::bigint
  from moved
),
saved_tree as (
  insert into session_trees (id, company_id, content)
  select $38::text, company_id, $39::bytea
  from moved
),
saved_packs as (
  insert into session_tree_packs (tree_id, pack_id, company_id)
  select $40::text, pack.id, moved.company_id
  from moved
  cross join unnest($41::text[]) as pack (id)
),
settled_pack as (
  update session_packs
  set byte_size = $42::bigint, held_until = null
  from moved
  where session_packs.id = $43 and session_packs.company_id = moved.company_id
),
saved_session as (
  update sessions
  set tree_id = $44::text, byte_size = $45::bigint, file_count = $46::int, revision = revision + 1
  from moved
  where sessions.id = $47 and sessions.company_id = moved.company_id and sessions.holder_run_id = moved.id
)
select from moved;

-- The end of a run that was not started, because its image is gone from storage.
with before as (
  select id, company_id, state
  from "runs"
  where id = $1 and company_id is not distinct from $2 and fence = $3 and state = any($4)
  for update
),
moved as (
  update "runs" t
  set state = $5, "error_code" = $6, "error_detail" = $7, "exit_code" = $8, "failure_stage" = $9,
    "failure_source" = $10, "terminal_at" = clock_timestamp(), "lease_until" = $11
  from before
  where t.id = $12 and t.company_id is not distinct from before.company_id
  returning t.*, before.state as from_state
),
recorded as (
  insert into state_events (company_id, entity, entity_id, from_state, to_state)
  select moved.company_id, $13::text, moved.id, from_state, $14::text
  from moved
),
blocked_image as (
  update environment_versions v
  set renewal_blocked_at = now()
  from (
    select t.environment_version_id as version_id, moved.company_id
    from moved
    join task_versions t on t.id = moved.task_version_id and t.company_id = moved.company_id
  ) wanted
  where v.id = wanted.version_id and v.company_id = wanted.company_id
    and (v.renewal_blocked_at is null or v.renewal_blocked_at < now() - interval '1 day')
  returning v.company_id, v.id
),
blocked_renewal as (
  insert into event_outbox (company_id, event, subject_id)
  select company_id, 'image_storage_renewal_blocked', id
  from blocked_image
)
select from moved;
