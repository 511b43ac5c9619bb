import type { ExtendedSecretApproval } from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { approvalRoutes } from '@sandbox-jobs/contract/routes/approval-routes.ts'
import type { Principal } from '../../../server/access/principal.ts'
import type { Caller } from '../caller.ts'
import type { TestApi } from '../test-api.ts'

const dayMs = 86_400_000
export const daysAhead = (days: number): string => new Date(Date.now() + days * dayMs).toISOString()

export const nextVersionsBody = (
  consumer: { scope: string; id: string },
  version: TaskVersion,
  fields: Record<string, unknown> = {},
) => ({
  consumer_scope: consumer.scope,
  consumer_id: consumer.id,
  task_id: version.task_id,
  task_version_id: version.id,
  task_version_digest: version.canonical_digest,
  slot_names: ['A'],
  risk_accepted: true,
  next_versions_until: daysAhead(30),
  ...fields,
})

/** Approves a version and its next ones, which must succeed. */
export const approveNext = (
  api: Caller,
  as: Principal,
  body: ReturnType<typeof nextVersionsBody>,
): Promise<ExtendedSecretApproval> => api.must(approvalRoutes.approveNextVersions, as, { body })

let scripts = 0

/** Publishes a version of the task with another script than every version before. */
export function publishChanged(
  { tasks }: Pick<TestApi, 'tasks'>,
  as: Principal,
  { slots, ...version }: { taskId: string; environmentVersionId: string; slots: unknown[] },
): Promise<TaskVersion> {
  scripts += 1
  const fields = { secret_slot_declarations: slots, work_script: `echo ${scripts}` }
  return tasks.publish(as, { ...version, fields })
}
