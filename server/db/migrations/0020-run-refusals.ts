import { type Kysely, sql } from 'kysely'

/** What runs tried to reach and did not: a row for each run that has any, as long as its content is kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table run_refusals (
      run_id text primary key references runs,
      company_id text not null references companies,
      entries jsonb not null check (jsonb_typeof(entries) = 'array' and jsonb_array_length(entries) <= 200),
      more bigint not null check (more >= 0)
    );
  `.execute(db)
}
