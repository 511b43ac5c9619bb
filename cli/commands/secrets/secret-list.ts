import type { NextVersions } from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findTask } from '../../lookup/find-task.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const secretListCommand = (): Command =>
  serviceCommand('list')
    .description('list the secrets and approvals of a task that you manage; never a value')
    .argument('<task>', 'name or id of the task')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTask(session, wanted)
        const params = { id }
        const secrets = await allPages((query) =>
          session.client.call(allRoutes.listTaskSecrets, { params, query }),
        )
        const approvals = await allPages((query) =>
          session.client.call(allRoutes.listExtendedSecretApprovals, { params, query }),
        )
        const secretRows = secrets.map((one) => [
          one.slot_name,
          `${one.consumer_scope} ${one.consumer_id}`,
          String(one.generation),
          one.state,
        ])
        const approvalRows = approvals.map((one) => [
          one.id,
          `${one.consumer_scope} ${one.consumer_id}`,
          one.task_version_id,
          nextText(one.next_versions),
        ])
        session.report.result(
          `${table(['SLOT', 'CONSUMER', 'GENERATION', 'STATE'], secretRows)}\n${table(['APPROVAL', 'CONSUMER', 'VERSION', 'NEXT VERSIONS'], approvalRows)}`,
          { secrets, approvals },
        )
      }),
    )

function nextText(next: NextVersions | null): string {
  if (!next) return '-'
  return next.active ? `by ${next.author_id} until ${next.until}` : `ended: ${next.end_reason}`
}
