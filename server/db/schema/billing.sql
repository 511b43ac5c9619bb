-- Money: prices, what runs and builds reserve and cost, budgets, and usage by day. Amounts are in millionths of the currency.

-- Lists that the operator applied; the newest one holds. A list never changes: what was queued under it keeps its rates.
create table price_lists (
  id bigint generated always as identity primary key,
  currency text not null check (currency = 'USD'),
  rate_version text not null check (length(rate_version) between 1 and 64),
  bound_version text not null check (length(bound_version) between 1 and 64),
  minimum_billed_seconds int not null check (minimum_billed_seconds between 0 and 86400),
  finalization_seconds int not null check (finalization_seconds between 0 and 86400),
  outbound_reservation_bytes bigint not null check (outbound_reservation_bytes >= 0),
  applied_at timestamptz not null default now(),
  inbound_reservation_bytes bigint not null default 0
    check (inbound_reservation_bytes between 0 and 9007199254740991)
);

-- The rates of a list. Builds have no traffic that is measured, so their traffic costs nothing.
create table prices (
  list_id bigint not null references price_lists,
  kind text not null check (kind in ('run', 'build')),
  profile text not null,
  region text not null,
  -- the order in which regions are preferred
  place int not null,
  per_second_micro bigint not null check (per_second_micro between 0 and 1000000000000),
  ingress_per_gib_micro bigint not null check (ingress_per_gib_micro between 0 and 1000000000000),
  egress_per_gib_micro bigint not null check (egress_per_gib_micro between 0 and 1000000000000),
  primary key (list_id, kind, profile, region)
);

-- The charge of a priced run or build: what it reserves, and from its end what it costs. The row is made with the run or the
-- attempt and settled by the statement that ends it (triggers below), so a hold never outlives its work. Without references,
-- since neither is ever removed: a reference costs more than the row.
create table charges (
  -- a run or a build attempt
  subject_id text primary key,
  company_id text not null,
  kind text not null check (kind in ('run', 'build')),
  list_id bigint not null,
  region text not null,
  -- The budget that it counts for: the month (UTC) in which it was queued.
  month date not null,
  per_second_micro bigint not null,
  ingress_per_gib_micro bigint not null,
  egress_per_gib_micro bigint not null,
  minimum_billed_seconds int not null,
  -- The most seconds that are billed: those that the hold is for.
  reserved_seconds int not null check (reserved_seconds >= minimum_billed_seconds),
  held_micro bigint not null check (held_micro >= 0),
  billed_seconds int,
  cost_micro bigint check (cost_micro >= 0),
  settled_at timestamptz,
  -- Bytes that the hold is for, which cap the run; null where they have no price.
  reserved_received_bytes bigint check (reserved_received_bytes >= 0),
  reserved_sent_bytes bigint check (reserved_sent_bytes >= 0),
  constraint charges_settled
    check ((settled_at is null) = (cost_micro is null) and (settled_at is null) = (billed_seconds is null))
);
create index charges_held on charges (company_id) where settled_at is null;

-- The budget of a company for a month; no row at all: no limit.
create table company_budgets (
  company_id text not null references companies,
  -- its first day
  month date not null check (extract(day from month) = 1),
  -- Whether it also holds for later months, until a later one that does.
  recurring boolean not null,
  amount_micro bigint not null check (amount_micro between 0 and 9007199254740991),
  primary key (company_id, month, recurring)
);

-- The reserved and spent amount of a month. With the rows of budget_changes it is exact at any time.
create table budget_spend (
  company_id text not null,
  month date not null,
  micro bigint not null,
  primary key (company_id, month)
);

-- Amounts that are not in budget_spend yet. Rows are only added, so that no transaction waits for another to count; a loop
-- folds them.
create table budget_changes (
  company_id text not null,
  month date not null,
  micro bigint not null check (micro <> 0)
);
create index budget_changes_by_company on budget_changes (company_id);

-- Usage of ended work, by the day (UTC) on which it was queued. Empty: there is none, such as the room of a build.
create table usage_days (
  company_id text not null,
  day date not null,
  kind text not null check (kind in ('run', 'build')),
  -- a task or an environment
  subject_id text not null,
  chatroom_id text not null,
  -- that the room was in, or that owns the environment
  department_id text not null,
  principal_type text not null,
  principal_id text not null,
  count bigint not null,
  seconds bigint not null,
  ingress_bytes bigint not null,
  egress_bytes bigint not null,
  cost_micro bigint not null,
  primary key (company_id, day, kind, subject_id, chatroom_id, department_id, principal_type, principal_id)
);

-- Usage that is not in usage_days yet.
create table usage_changes (
  -- the order in which rows were added
  place bigint generated always as identity primary key,
  company_id text not null,
  day date not null,
  kind text not null,
  subject_id text not null,
  chatroom_id text not null,
  -- null: the department that the room is in when the row is folded
  department_id text,
  principal_type text not null,
  principal_id text not null,
  seconds bigint not null,
  ingress_bytes bigint not null,
  egress_bytes bigint not null,
  cost_micro bigint not null
);
create index usage_changes_by_company on usage_changes (company_id);

-- Settles the charge of work that ends, and returns its cost; 0 if it has no price. Nothing is billed for work that the
-- platform failed, nor for a program that never started (no seconds).
create function settle_charge(
  subject text, company text, is_billed boolean, used_seconds bigint, ingress bigint, egress bigint
) returns bigint language plpgsql as $$
declare
  held charges;
  billed bigint := 0;
  cost bigint := 0;
begin
  select * into held from charges where subject_id = subject and company_id = company and settled_at is null;
  if not found then return 0; end if;
  if is_billed and used_seconds is not null then
    billed := least(greatest(used_seconds, held.minimum_billed_seconds), held.reserved_seconds);
    -- A run is ended a little beyond its caps: that is not billed.
    cost := least(held.held_micro, billed::numeric * held.per_second_micro
      + ceil(ingress::numeric * held.ingress_per_gib_micro / 1073741824)
      + ceil(egress::numeric * held.egress_per_gib_micro / 1073741824));
  end if;
  update charges set billed_seconds = billed, cost_micro = cost, settled_at = clock_timestamp()
  where subject_id = subject and company_id = company;
  if cost <> held.held_micro then
    insert into budget_changes (company_id, month, micro) values (company, held.month, cost - held.held_micro);
  end if;
  return cost;
end $$;

-- Whole seconds, rounded up; null if either time is missing.
create function used_seconds(started timestamptz, ended timestamptz) returns bigint language sql immutable as $$
  select case when started is not null and ended is not null then greatest(0, ceil(extract(epoch from ended - started)))::bigint end
$$;

create function settle_ended_run() returns trigger language plpgsql as $$
declare
  seconds bigint := used_seconds(new.started_at, new.terminal_at);
  cost bigint := settle_charge(new.id, new.company_id, new.state <> 'platform_failed', seconds,
    new.measured_ingress_bytes, new.measured_egress_bytes);
begin
  insert into usage_changes (company_id, day, kind, subject_id, chatroom_id, principal_type, principal_id, seconds,
    ingress_bytes, egress_bytes, cost_micro)
  values (new.company_id, (new.queued_at at time zone 'UTC')::date, 'run', new.task_id, new.chatroom_id,
    new.principal_type, new.principal_id, coalesce(seconds, 0), new.measured_ingress_bytes,
    new.measured_egress_bytes, cost);
  return null;
end $$;
create trigger settle_ended_run after update on runs
  for each row when (new.terminal_at is not null and old.terminal_at is null) execute function settle_ended_run();

create function settle_ended_build() returns trigger language plpgsql as $$
declare
  seconds bigint := used_seconds(new.started_at, new.terminal_at);
  cost bigint := settle_charge(new.id, new.company_id, new.state <> 'platform_failed', seconds, 0, 0);
begin
  insert into usage_changes (company_id, day, kind, subject_id, chatroom_id, department_id, principal_type,
    principal_id, seconds, ingress_bytes, egress_bytes, cost_micro)
  select new.company_id, (new.queued_at at time zone 'UTC')::date, 'build', e.id, '',
    case when e.owner_scope = 'department' then e.owner_id else '' end, '', '', coalesce(seconds, 0), 0, 0, cost
  from environment_versions v join environments e on e.id = v.environment_id where v.id = new.environment_version_id;
  return null;
end $$;
create trigger settle_ended_build after update on build_attempts
  for each row when (new.terminal_at is not null and old.terminal_at is null) execute function settle_ended_build();
