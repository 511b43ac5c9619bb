import type { Executing } from '../db/database.ts'

/** Reads what notices say about the subjects of events. A subject that is gone has no facts. */

export interface RunFacts {
  id: string
  company_id: string
  chatroom_id: string
  state: string
  error_code: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  submission_source: string
  /** The API key or door that it was submitted with. */
  api_key_id: string | null
  task_name: string
}

export const readRunFacts = (
  db: Executing,
  companyIds: readonly string[],
  ids: readonly string[],
): Promise<RunFacts[]> =>
  db
    .selectFrom('runs as r')
    .innerJoin('tasks as t', (join) =>
      join.onRef('t.id', '=', 'r.task_id').onRef('t.company_id', '=', 'r.company_id'),
    )
    .select([
      'r.id',
      'r.company_id',
      'r.chatroom_id',
      'r.state',
      'r.error_code',
      'r.principal_type',
      'r.principal_id',
      'r.submission_source',
      'r.api_key_id',
      't.name as task_name',
    ])
    .where('r.id', 'in', ids)
    .where('r.company_id', 'in', companyIds)
    .execute()

/** An environment, as the owner of a build, a version, an exception or findings. */
export interface EnvironmentFacts {
  subject_id: string
  environment_id: string
  /** Null: curated. */
  company_id: string | null
  owner_scope: string
  owner_id: string
  name: string
  version_id: string | null
  version_number: number | null
  error_code: string
}

const ofEnvironment = [
  'e.id as environment_id',
  'e.company_id',
  'e.owner_scope',
  'e.owner_id',
  'e.name',
] as const

/** By the id of a build attempt. */
export async function readBuildFacts(
  db: Executing,
  companyIds: readonly string[],
  ids: readonly string[],
): Promise<EnvironmentFacts[]> {
  return db
    .selectFrom('build_attempts as a')
    .innerJoin('environment_versions as v', 'v.id', 'a.environment_version_id')
    .innerJoin('environments as e', 'e.id', 'v.environment_id')
    .select([
      'a.id as subject_id',
      'v.id as version_id',
      'v.version_number',
      'a.error_code',
      ...ofEnvironment,
    ])
    .where('a.id', 'in', ids)
    .where('a.company_id', 'in', companyIds)
    .where((eb) => eb.or([eb('v.company_id', '=', eb.ref('a.company_id')), eb('v.company_id', 'is', null)]))
    .where((eb) => eb.or([eb('e.company_id', '=', eb.ref('a.company_id')), eb('e.company_id', 'is', null)]))
    .execute()
}

/** By the id of a version of the companies, or of a curated one. */
export async function readVersionFacts(
  db: Executing,
  companyIds: readonly string[],
  ids: readonly string[],
): Promise<EnvironmentFacts[]> {
  const rows = await db
    .selectFrom('environment_versions as v')
    .innerJoin('environments as e', 'e.id', 'v.environment_id')
    .select(['v.id as subject_id', 'v.id as version_id', 'v.version_number', ...ofEnvironment])
    .where('v.id', 'in', ids)
    .where((eb) => eb.or([eb('v.company_id', 'in', companyIds), eb('v.company_id', 'is', null)]))
    .where((eb) => eb.or([eb('e.company_id', 'in', companyIds), eb('e.company_id', 'is', null)]))
    .execute()
  return rows.map((row) => ({ ...row, error_code: '' }))
}

/** By the id of an exception, or of an environment. */
export async function readFindingFacts(
  db: Executing,
  companyIds: readonly string[],
  ids: readonly string[],
): Promise<EnvironmentFacts[]> {
  const direct = await db
    .selectFrom('environments as e')
    .select(['e.id as subject_id', ...ofEnvironment])
    .where('e.id', 'in', ids)
    .where('e.company_id', 'in', companyIds)
    .execute()
  const byException = await db
    .selectFrom('security_exceptions as x')
    .innerJoin('environments as e', (join) =>
      join.onRef('e.id', '=', 'x.environment_id').onRef('e.company_id', '=', 'x.company_id'),
    )
    .select(['x.id as subject_id', ...ofEnvironment])
    .where('x.id', 'in', ids)
    .where('x.company_id', 'in', companyIds)
    .execute()
  return [...direct, ...byException].map((row) => ({
    ...row,
    version_id: null,
    version_number: null,
    error_code: '',
  }))
}
