import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing } from '../../db/database.ts'
import type { ClaimedRun } from '../model/claimed-run.ts'

/** Runs that have not ended, of all holders, with their current fence. */
export async function listUnfinished(db: Executing, most: number): Promise<ClaimedRun[]> {
  const { rows } = await sql<ClaimedRun>`${acrossCompanies('the operator restores runs of all companies')}
    select id, company_id as "companyId", state, fence, coalesce(sandbox_id, '') as "sandboxId" from runs
    where terminal_at is null order by id limit ${most}
  `.execute(db)
  return rows
}
