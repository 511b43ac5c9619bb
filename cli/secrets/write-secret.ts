import { randomUUID } from 'node:crypto'
import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../args/service-command.ts'
import { findTask } from '../lookup/find-task.ts'
import { escapeControls } from '../output/escape-controls.ts'
import { withSession } from '../session/session.ts'
import { readSecretValue } from './read-secret-value.ts'
import { type ConsumerOptions, consumerOf, withConsumer } from './secret-address.ts'

interface Options extends ConsumerOptions {
  file?: string
  keepNewline?: boolean
}

interface Writing {
  name: 'set' | 'rotate'
  description: string
  route: typeof allRoutes.createSecret | typeof allRoutes.rotateSecret
  did: string
}

/** `secret set` and `secret rotate`: the value is encrypted here, for the key that the service publishes. */
export const writeSecretCommand = ({ name, description, route, did }: Writing): Command =>
  withConsumer(serviceCommand(name))
    .description(description)
    .argument('<task>', 'name or id of the task')
    .argument('<slot>', 'name of the slot')
    .option('--file <file>', 'file with the value; without it standard input, or the terminal')
    .option('--keep-newline', 'keep a line feed at the end of the value')
    .addHelpText(
      'after',
      `\nExample:\n  pass show api | sandbox secret ${name} sales-report TOKEN --room daily-numbers`,
    )
    .action((wanted: string, slot_name: string, options: Options) =>
      withSession(options, async (session) => {
        const task = await findTask(session, wanted)
        const consumer = await consumerOf(session, options)
        const publicKey = await session.publicClient.call(allRoutes.readPublicKey)
        const encrypted_value = await encryptSecret(publicKey, await readSecretValue(options))
        const operation = await session.client.call(route, {
          body: { ...consumer, task_id: task.id, slot_name, encrypted_value },
          idempotencyKey: randomUUID(),
        })
        const { generation } = operation.binding
        const text = `${escapeControls(slot_name)} of ${escapeControls(task.name)} ${did}, generation ${generation}.\n`
        session.report.result(text, operation)
      }),
    )
