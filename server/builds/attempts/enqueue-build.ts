import { buildAttemptMachine } from '@sandbox-jobs/contract/states/build-attempt-states.ts'
import type { Trx } from '../../db/database.ts'
import { notifyAfterCommit } from '../../db/notify.ts'
import { recordCreated } from '../../db/transition.ts'
import { transitionVersion } from '../../environments/versions/version-transitions.ts'
import { insertAttempt, type NewAttempt } from './attempt-record-store.ts'

/** Postgres channel; the payload is the id of the queued attempt. */
export const buildsQueuedChannel = 'builds_queued'

/** Queues attempt and version together. The caller has checked that the version may be built. */
export async function enqueueBuild(trx: Trx, attempt: NewAttempt): Promise<void> {
  const { id, company_id: companyId } = attempt
  await insertAttempt(trx, attempt)
  await recordCreated(trx, {
    machine: buildAttemptMachine,
    id,
    companyId,
    state: buildAttemptMachine.initial,
  })
  await transitionVersion(
    trx,
    { id: attempt.environment_version_id, company_id: companyId },
    {
      to: 'build_queued',
      set: { last_build_attempt_id: id },
    },
  )
  await notifyAfterCommit(trx, buildsQueuedChannel, id)
}
