import type { Executing } from '../../db/database.ts'

/** Builds that a company made, by their ids, with the owner of their environment. Those of a curated version are hidden until it was ready. */
export async function findChangedBuilds(
  db: Executing,
  { companyId, ids }: { companyId: string; ids: readonly string[] },
) {
  if (ids.length === 0) return []
  return db
    .selectFrom('build_attempts as a')
    .innerJoin('environment_versions as v', 'v.id', 'a.environment_version_id')
    .innerJoin('environments as e', 'e.id', 'v.environment_id')
    .select([
      'a.id',
      'a.environment_version_id',
      'a.state',
      'a.stage_code',
      'a.stage_since',
      'a.terminal_at',
      'a.error_code',
      'a.error_detail',
      'v.environment_id',
      'e.company_id as environment_company_id',
      'e.owner_scope',
      'e.owner_id',
    ])
    .where('a.company_id', '=', companyId)
    .where('a.id', 'in', ids)
    .where((eb) => eb.or([eb('v.company_id', 'is not', null), eb('v.ready_at', 'is not', null)]))
    .orderBy('a.id')
    .execute()
}
