import { type Kysely, sql } from 'kysely'

/** Until when the operator holds back builds; one row at most. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table build_fence (
      single boolean primary key default true check (single),
      ends_at timestamptz not null
    )
  `.execute(db)
}
