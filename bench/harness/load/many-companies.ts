import { sql } from 'kysely'
import type { Database } from '../../../server/db/database.ts'
import { layerDigest } from '../service/tenants.ts'

/** Makes that many companies, each with a room, a task and one queued run: as rows, in a few statements. */
export async function queueForCompanies(db: Database, count: number): Promise<void> {
  const all = sql`generate_series(1, ${sql.lit(count)}) n`
  const id = (kind: string) => sql`${sql.lit(`${kind}_many_`)} || n`
  const company = id('cmp')
  const statements = [
    sql`insert into companies (id, name) select ${company}, ${company} from ${all}`,
    sql`insert into departments (id, company_id, name) select ${id('dep')}, ${company}, 'bench' from ${all}`,
    sql`insert into chatrooms (id, company_id, department_id, name)
      select ${id('chr')}, ${company}, ${id('dep')}, 'bench' from ${all}`,
    sql`insert into environments (id, company_id, owner_kind, owner_scope, owner_id, name)
      select ${id('env')}, ${company}, 'company', 'company', ${company}, 'bench' from ${all}`,
    sql`insert into environment_versions (id, company_id, environment_id, version_number, state, resource_profile,
        layer_digest, promoted_digest, ready_at)
      select ${id('evr')}, ${company}, ${id('env')}, 1, 'ready', 'standard', ${layerDigest}, ${layerDigest}, now()
      from ${all}`,
    sql`insert into tasks (id, company_id, owner_scope, owner_id, name)
      select ${id('tsk')}, ${company}, 'company', ${company}, 'bench' from ${all}`,
    sql`insert into task_versions (id, company_id, task_id, version_number, state, environment_version_id,
        canonical_digest, content_hash, created_by, published_at)
      select ${id('tvr')}, ${company}, ${id('tsk')}, 1, 'published', ${id('evr')}, ${layerDigest}, ${layerDigest},
        'bench', now() from ${all}`,
    sql`insert into runs (id, company_id, chatroom_id, task_id, task_version_id, environment_version_id,
        resource_profile, principal_type, principal_id, auth_method, submission_source, timeout_seconds, input_digest)
      select ${id('run')}, ${company}, ${id('chr')}, ${id('tsk')}, ${id('tvr')}, ${id('evr')}, 'standard', 'user',
        'bench', 'jwt', 'rest', 60, ${layerDigest} from ${all}`,
  ]
  for (const statement of statements) await statement.execute(db)
}
