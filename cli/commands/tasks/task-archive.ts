import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { findTask } from '../../lookup/find-task.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export const taskArchiveCommand = (): Command =>
  serviceCommand('archive')
    .description('archive a task and its versions permanently, and cancel its queued runs')
    .argument('<task>', 'name or id of the task')
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTask(session, wanted)
        const task = await session.client.call(allRoutes.archiveTask, { params: { id } })
        session.report.result(`Archived ${escapeControls(task.name)}.\n`, task)
      }),
    )
