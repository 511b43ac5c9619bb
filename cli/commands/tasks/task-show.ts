import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { ShareGrant } from '@sandbox-jobs/contract/resources/tasks/share.ts'
import type { Task } from '@sandbox-jobs/contract/resources/tasks/task.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findTask } from '../../lookup/find-task.ts'
import { escapeControls, escapeLines } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

export const taskShowCommand = (): Command =>
  serviceCommand('show')
    .description('show a task, its versions and, to who manages it, its shares')
    .argument('<task>', 'name or id of the task')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const task = await findTask(session, wanted)
        const params = { id: task.id }
        const versions = await allPages((query) =>
          session.client.call(allRoutes.listTaskVersions, { params, query }),
        )
        const shares = await sharesOf(session, task.id)
        session.report.result(textOf(task, versions, shares), { task, versions, shares })
      }),
    )

/** Null for callers who may use the task but not manage it. */
async function sharesOf({ client }: Session, id: string): Promise<ShareGrant[] | null> {
  try {
    return await allPages((query) =>
      client.call(allRoutes.listShares, { params: { id }, query: { ...query, lifecycle: 'active' } }),
    )
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return null
    throw error
  }
}

function textOf(task: Task, versions: TaskVersion[], shares: ShareGrant[] | null): string {
  const state = task.security_state === 'blocked' ? 'blocked' : task.state
  const owner = `${task.owner_scope} ${task.owner_id}`
  const versionRows = versions.map((version) => [
    String(version.version_number),
    version.id,
    version.state,
    version.environment_version_id,
    `${version.timeout_seconds} s`,
  ])
  const parts = [
    `${escapeControls(task.name)} (${task.id}), ${state}, of ${escapeControls(owner)}\n`,
    task.description && `${escapeLines(task.description)}\n`,
    table(['VERSION', 'ID', 'STATE', 'ENVIRONMENT VERSION', 'TIMEOUT'], versionRows),
    shares &&
      table(
        ['SHARED WITH', 'ID', 'COUNTS'],
        shares.map((share) => [
          share.target_kind === 'chatroom' ? 'room' : share.target_kind,
          share.target_id,
          share.active && share.authority_applicable ? 'yes' : 'no',
        ]),
      ),
  ]
  return parts.filter(Boolean).join('\n')
}
