import type { ShareGrant } from '@sandbox-jobs/contract/resources/tasks/share.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { findTask } from '../../lookup/find-task.ts'
import { type ConsumerOptions, consumerOf, withConsumer } from '../../secrets/secret-address.ts'
import { withSession } from '../../session/session.ts'

export const shareCommand = (): Command =>
  withConsumer(serviceCommand('share'), 'with')
    .description('let a room, a department or the company use a task')
    .argument('<task>', 'name or id of the task')
    .action((wanted: string, options: ConsumerOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTask(session, wanted)
        const { consumer_scope: target_kind, consumer_id: target_id } = await consumerOf(session, options)
        const body = { target_kind, target_id }
        const grant = await session.client.call(allRoutes.createShare, { params: { id }, body })
        session.report.result(shareText('is shared with', grant), grant)
      }),
    )

export const shareText = (words: string, { task_id, target_kind, target_id }: ShareGrant): string =>
  `${task_id} ${words} ${target_kind === 'chatroom' ? 'room' : target_kind} ${target_id}.\n`
