import { randomUUID } from 'node:crypto'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { findTask } from '../../lookup/find-task.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { type ConsumerOptions, consumerOf, withConsumer } from '../../secrets/secret-address.ts'
import { withSession } from '../../session/session.ts'

export const secretRevokeCommand = (): Command =>
  withConsumer(serviceCommand('revoke'))
    .description('remove the value of a secret slot; runs that have not started end without it')
    .argument('<task>', 'name or id of the task')
    .argument('<slot>', 'name of the slot')
    .action((wanted: string, slot_name: string, options: ConsumerOptions) =>
      withSession(options, async (session) => {
        const task = await findTask(session, wanted)
        const consumer = await consumerOf(session, options)
        const operation = await session.client.call(allRoutes.revokeSecret, {
          body: { ...consumer, task_id: task.id, slot_name },
          idempotencyKey: randomUUID(),
        })
        const text = `${escapeControls(slot_name)} of ${escapeControls(task.name)} is revoked.\n`
        session.report.result(text, operation)
      }),
    )
