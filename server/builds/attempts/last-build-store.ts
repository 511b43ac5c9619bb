import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import type {
  LastAttempt,
  LastBuild,
  ReadLastBuilds,
} from '../../environments/catalogue/environment-context.ts'

const recentBuilds = 10

type Row = LastAttempt & { expected_seconds: number | null }

export const readLastBuilds: ReadLastBuilds = async (db, companyId, attemptIds) => {
  if (attemptIds.length === 0) return new Map()
  const { rows } =
    await sql<Row>`${acrossCompanies('ids of versions that the caller may read; curated ones have builds of another company')}
    select a.id, a.state, a.stage_code, a.stage_since, a.terminal_at, a.error_code, a.error_detail,
      case when a.terminal_at is null and a.company_id = ${companyId} then (
        select ceil(extract(epoch from avg(recent.terminal_at - recent.started_at)))::int from (
          select terminal_at, started_at from build_attempts
          where company_id = ${companyId} and state = 'completed' order by id desc limit ${recentBuilds}
        ) recent) end as expected_seconds
    from build_attempts a where a.id = any(${[...attemptIds]}::text[])
  `.execute(db)
  return new Map(
    rows.map(({ expected_seconds, ...attempt }): [string, LastBuild] => [
      attempt.id,
      { attempt, expectedSeconds: expected_seconds },
    ]),
  )
}

/** Companies of attempts, by the ids of the attempts. */
export async function companiesOfAttempts(
  db: Executing,
  attemptIds: readonly string[],
): Promise<Map<string, string>> {
  if (attemptIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('build_attempts')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'company_id'])
    .where('id', 'in', attemptIds)
    .execute()
  return new Map(rows.map(({ id, company_id }) => [id, company_id]))
}

export async function isBeingBuilt(trx: Trx, versionId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('build_attempts')
    .modifyFront(acrossCompanies('the operator blocks an image for all'))
    .select('id')
    .where('environment_version_id', '=', versionId)
    .where('terminal_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}
