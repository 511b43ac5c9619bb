import type { ExtendedSecretApproval } from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../lookup/all-pages.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'

type Consumer = Pick<ExtendedSecretApproval, 'consumer_scope' | 'consumer_id'>

/** Approvals by which a version may use secrets of consumers that the caller manages. */
export interface VersionApprovals {
  /** Approvals that count for it. */
  counting: ExtendedSecretApproval[]
  /** Consumers that approved other versions, and not this one. */
  missing: Consumer[]
}

/** Undefined for a version without slots. */
export async function approvalsOfVersion(
  { client }: Session,
  { task_id: id, id: task_version_id, secret_slot_names }: TaskVersion,
): Promise<VersionApprovals | undefined> {
  if (secret_slot_names.length === 0) return undefined
  const list = (only: { task_version_id?: string }) =>
    allPages((query) =>
      client.call(allRoutes.listExtendedSecretApprovals, { params: { id }, query: { ...query, ...only } }),
    )
  const counting = await list({ task_version_id })
  const consumers = new Map((await list({})).map((one) => [one.consumer_id, one]))
  for (const { consumer_id } of counting) consumers.delete(consumer_id)
  const missing = [...consumers.values()].map(({ consumer_scope, consumer_id }) => ({
    consumer_scope,
    consumer_id,
  }))
  return { counting, missing }
}

const optionOf = ({ consumer_scope: scope, consumer_id: id }: Consumer): string =>
  scope === 'company' ? '--company' : `--${scope === 'chatroom' ? 'room' : scope} ${id}`

const renderConsumer = ({ consumer_scope, consumer_id }: Consumer): string =>
  `${consumer_scope} ${consumer_id}`

/** For people who have just published the version. */
export function approvalsText(
  approvals: VersionApprovals | undefined,
  { task, version }: { task: { name: string }; version: TaskVersion },
): string {
  if (!approvals) return ''
  const { counting, missing } = approvals
  const approve = `sandbox secret approve ${escapeControls(task.name)}`
  const lines = counting.map((one) => `Secrets of ${renderConsumer(one)}: ${countingText(one, version)}.\n`)
  for (const one of missing)
    lines.push(
      `Secrets of ${renderConsumer(one)}: not approved for this version. Runs end with secret_approval_required until: ${approve} ${optionOf(one)} --accept-risk\n`,
    )
  if (lines.length === 0)
    lines.push(
      `No approval counts for its secrets. Where a room supplies them: ${approve} --room ROOM --accept-risk\n`,
    )
  return lines.join('')
}

const countingText = (
  { id, task_version_id, next_versions }: ExtendedSecretApproval,
  version: TaskVersion,
) =>
  task_version_id !== version.id && next_versions
    ? `covered until ${next_versions.until} as a next version (${id})`
    : `approved (${id})`
