import { newId } from '../../server/base/ids.ts'
import type { Database } from '../../server/db/database.ts'

const digest = `sha256:${'1'.repeat(64)}`
const testRunner = `runner-${'1'.repeat(16)}`

/** A version of a new environment; `ready` unless another state is given. Without a company it is curated. */
export async function makeEnvironmentVersion(
  db: Database,
  version: { companyId: string | null; state?: string },
): Promise<{ id: string; environmentId: string }> {
  const { companyId, state = 'ready' } = version
  const environmentId = newId('environment')
  await db
    .insertInto('environments')
    .values({
      id: environmentId,
      company_id: companyId,
      owner_kind: companyId === null ? 'system_curated' : 'company',
      owner_scope: 'company',
      owner_id: companyId ?? '',
      name: `environment ${environmentId}`,
    })
    .execute()
  await db
    .insertInto('runner_releases')
    .values({
      release: testRunner,
      layer_digest: digest,
      abi_revision: 1,
      approved_at: new Date(),
      approved_by: 'declared',
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const id = newId('environmentVersion')
  await db
    .insertInto('environment_versions')
    .values({
      id,
      company_id: companyId,
      environment_id: environmentId,
      version_number: 1,
      state,
      resource_profile: 'standard',
      layer_digest: digest,
      promoted_digest: digest,
      runner_release: testRunner,
      ready_at: new Date(),
    })
    .execute()
  return { id, environmentId }
}
