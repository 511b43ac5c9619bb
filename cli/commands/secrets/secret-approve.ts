import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { nextVersionsMaxDays } from '@sandbox-jobs/contract/limits.ts'
import type { ExtendedSecretApproval } from '@sandbox-jobs/contract/resources/secrets/extended-secret-approval.ts'
import type {
  SecretApproval,
  SecretApprovalCreateRequest,
} from '@sandbox-jobs/contract/resources/secrets/secret-approval.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { daysUpTo } from '../../args/days.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError, exitCodes } from '../../failure.ts'
import { findTask } from '../../lookup/find-task.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { type ConsumerOptions, consumerOf, withConsumer } from '../../secrets/secret-address.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConsumerOptions {
  taskVersion?: string
  slots?: string[]
  acceptRisk?: boolean
  nextVersions?: number
}

export const secretApproveCommand = (): Command =>
  withConsumer(serviceCommand('approve'))
    .description('let an exact version of a task use your secrets, or its next versions too')
    .argument('<task>', 'name or id of the task')
    .option('--task-version <id>', 'its version; without it the one that is published last')
    .option(
      '--slots <names>',
      'the slots that your values fill, with commas between them; without it all',
      (text) => text.split(',').map((name) => name.trim()),
    )
    .option('--accept-risk', 'the code of that version may read the values and send them elsewhere')
    .option(
      '--next-versions <days>',
      'also its next versions by the same author with the same slots, for 1d to 90d; only if you manage the task too',
      daysUpTo(nextVersionsMaxDays),
    )
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        if (options.acceptRisk !== true) throw riskNotAccepted()
        const task = await findTask(session, wanted)
        const vid = options.taskVersion ?? task.current_published_version_id
        if (vid === null) throw notPublished(task.name)
        const params = { id: task.id, vid }
        const version = await session.client.call(allRoutes.readTaskVersion, { params })
        const request = {
          ...(await consumerOf(session, options)),
          task_id: task.id,
          task_version_id: version.id,
          task_version_digest: version.canonical_digest,
          slot_names: options.slots ?? version.secret_slot_names,
          risk_accepted: true as const,
        }
        const approval = await approve(session, request, options.nextVersions)
        const next = 'next_versions' in approval ? approval.next_versions : null
        const more = next ? `, and so may the next versions by ${next.author_id} until ${next.until}` : ''
        const text = `Version ${version.version_number} of ${escapeControls(task.name)} may use these secrets${more} (${approval.id}).\n`
        session.report.result(text, approval)
      }),
    )

const dayMs = 86_400_000
/** The clocks of this machine and of the service may differ by so much when the maximum is wanted. */
const clockMs = 60_000

async function approve(
  { client }: Session,
  request: SecretApprovalCreateRequest,
  days: number | undefined,
): Promise<SecretApproval | ExtendedSecretApproval> {
  if (days === undefined) return client.call(allRoutes.createSecretApproval, { body: request })
  const until = new Date(Date.now() + days * dayMs - clockMs)
  const body = { ...request, next_versions_until: until.toISOString() }
  return client.call(allRoutes.approveNextVersions, { body }).catch((error: unknown) => {
    throw error instanceof ApiError && error.code === 'not_found' ? notManaged() : error
  })
}

const notManaged = () =>
  new CliError('The task, or whom the secrets are for, is not yours to manage.', {
    hint: 'Next versions are approved by who manages both. Without --next-versions, the exact version alone is approved.',
    code: 'not_found',
  })

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
