import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError, exitCodes } from '../../failure.ts'
import { findTask } from '../../lookup/find-task.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { type ConsumerOptions, consumerOf, withConsumer } from '../../secrets/secret-address.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConsumerOptions {
  taskVersion?: string
  slots?: string[]
  acceptRisk?: boolean
}

export const secretApproveCommand = (): Command =>
  withConsumer(serviceCommand('approve'))
    .description('let an exact version of a task use your secrets')
    .argument('<task>', 'name or id of the task')
    .option('--task-version <id>', 'its version; without it the one that is published last')
    .option(
      '--slots <names>',
      'the slots that your values fill, with commas between them; without it all',
      (text) => text.split(',').map((name) => name.trim()),
    )
    .option('--accept-risk', 'the code of that version may read the values and send them elsewhere')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        if (options.acceptRisk !== true) throw riskNotAccepted()
        const task = await findTask(session, wanted)
        const vid = options.taskVersion ?? task.current_published_version_id
        if (vid === null) throw notPublished(task.name)
        const params = { id: task.id, vid }
        const version = await session.client.call(allRoutes.readTaskVersion, { params })
        const approval = await session.client.call(allRoutes.createSecretApproval, {
          body: {
            ...(await consumerOf(session, options)),
            task_id: task.id,
            task_version_id: version.id,
            task_version_digest: version.canonical_digest,
            slot_names: options.slots ?? version.secret_slot_names,
            risk_accepted: true,
          },
        })
        const text = `Version ${version.version_number} of ${escapeControls(task.name)} may use these secrets (${approval.id}).\n`
        session.report.result(text, approval)
      }),
    )

const riskNotAccepted = () =>
  new CliError('The code of the task may read the values and send them elsewhere.', {
    hint: 'Give --accept-risk if you trust its owner with them.',
    code: 'cli_usage',
    exitCode: exitCodes.usage,
  })

const notPublished = (name: string) =>
  new CliError(`${name} has no published version.`, {
    hint: 'Ask its owner to publish one.',
    code: 'cli_not_published',
  })
