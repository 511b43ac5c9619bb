import type { BuildChangeEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import type { BuildAttemptState } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { ownedBy } from '../../access/allow.ts'
import type { Database } from '../../db/database.ts'
import { progressOf } from '../../environments/versions/build-progress.ts'
import { findChangedBuilds } from './changed-build-store.ts'

interface ChangedBuild {
  event: BuildChangeEvent
  /** Its owner decides who may see the build. */
  environment: Parameters<typeof ownedBy>[0]
}

/** The builds of a company among these ids, as they are now. */
export async function readChangedBuilds(
  db: Database,
  of: { companyId: string; ids: readonly string[] },
): Promise<ChangedBuild[]> {
  const rows = await findChangedBuilds(db, of)
  return rows.map(({ environment_company_id: company_id, owner_scope, owner_id, ...build }) => {
    const { stage, index, count, since } = progressOf(build, false)
    return {
      environment: { company_id, owner_scope, owner_id },
      event: {
        kind: 'build',
        id: build.id,
        environment_id: build.environment_id,
        environment_version_id: build.environment_version_id,
        status: build.state as BuildAttemptState,
        stage,
        stage_index: index,
        stage_count: count,
        stage_since: since,
        error_code: build.error_code,
      },
    }
  })
}
