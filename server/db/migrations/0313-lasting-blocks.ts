import { type Kysely, sql } from 'kysely'

/** A finding keeps the operator's block, with its reason, while it is resolved. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table security_findings
      drop constraint security_findings_check,
      add constraint security_findings_blocked check (state <> 'blocked' or block_reason is not null) not valid,
      add constraint security_findings_block check (block_reason is null or state in ('blocked', 'resolved')) not valid
  `.execute(db)
}
