import { type Kysely, sql } from 'kysely'

/** Databases that applied an earlier text of the audit log get the form that every supported Postgres knows. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create or replace function audit_context(context text) returns jsonb language plpgsql immutable as $$
    begin
      if context = '' or jsonb_typeof(context::jsonb) <> 'object' then
        return '{}';
      end if;
      return context::jsonb;
    exception when others then
      return '{}';
    end $$;
  `.execute(db)
}
