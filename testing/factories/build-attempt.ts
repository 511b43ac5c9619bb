import { newId } from '../../server/base/ids.ts'
import type { Database } from '../../server/db/database.ts'
import { makeEnvironmentVersion } from './environment-version.ts'

/** A build attempt in progress, of a version of a new environment. */
export async function makeBuildAttempt(
  db: Database,
  { companyId }: { companyId: string },
): Promise<{ id: string; versionId: string }> {
  const version = await makeEnvironmentVersion(db, { companyId, state: 'building' })
  const id = newId('buildAttempt')
  await db
    .insertInto('build_attempts')
    .values({
      id,
      company_id: companyId,
      environment_version_id: version.id,
      attempt_number: 1,
      state: 'building',
      build_region: 'onprem',
      build_profile: 'standard',
    })
    .execute()
  return { id, versionId: version.id }
}
