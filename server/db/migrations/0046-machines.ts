import { type Kysely, sql } from 'kysely'

/**
 * The machine that works on this database, and that which claimed each run. A run without one was claimed by a release
 * that knew of one machine only.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table machine_lease (
      singleton boolean primary key default true check (singleton),
      machine text not null check (machine ~ '^[0-9a-f]{32}$'),
      -- the same for one folder on one disk, and for one start of the kernel
      folder text not null check (length(folder) between 1 and 64),
      boot text not null check (length(boot) between 1 and 64),
      -- another one at each start of the worker
      session text not null check (length(session) between 1 and 64),
      -- for people
      place text not null check (length(place) between 1 and 512),
      lease_until timestamptz not null,
      -- given up by an orderly stop
      released boolean not null default false
    )
  `.execute(db)
  await sql`
    alter table runs
      add column machine text,
      add constraint runs_claimed_by_machine
        check (state not in ('starting', 'running') or machine is not null) not valid
  `.execute(db)
}
