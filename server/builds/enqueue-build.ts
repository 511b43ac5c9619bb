import { buildAttemptMachine } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { Trx } from '../db/database.ts'
import { noteCreated } from '../db/transition.ts'
import { moveVersion } from '../environments/version-moves.ts'
import { insertAttempt, type NewAttempt, notifyBuilds } from './attempt-record-store.ts'

/** Postgres channel that names each attempt as it is queued. */
export const buildsQueuedChannel = 'builds_queued'

/** Attempt and version are queued together; the caller has seen to it that the version may be built. */
export async function enqueueBuild(trx: Trx, attempt: NewAttempt): Promise<void> {
  const { id, company_id: companyId } = attempt
  await insertAttempt(trx, attempt)
  await noteCreated(trx, {
    machine: buildAttemptMachine,
    id,
    companyId,
    state: buildAttemptMachine.initial,
  })
  await moveVersion(
    trx,
    { id: attempt.environment_version_id, company_id: companyId },
    {
      to: 'build_queued',
      set: { last_build_attempt_id: id },
    },
  )
  await notifyBuilds(trx, buildsQueuedChannel, id)
}
