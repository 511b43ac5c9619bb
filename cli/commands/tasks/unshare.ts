import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { reasonText } from '../../args/reason-text.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { CliError } from '../../failure.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findTask } from '../../lookup/find-task.ts'
import { type ConsumerOptions, consumerOf, withConsumer } from '../../secrets/secret-address.ts'
import { type Session, withSession } from '../../session/session.ts'
import { shareText } from './share.ts'

interface Options extends ConsumerOptions {
  reason?: string
}

export const unshareCommand = (): Command =>
  withConsumer(serviceCommand('unshare'), 'with')
    .description('revoke the share of a task with a room, a department or the company')
    .argument('<task>', 'name or id of the task')
    .option('--reason <text>', 'why, for the record', reasonText)
    .action((wanted: string, options: Options) =>
      withSession(options, (session) => unshare(session, wanted, options)),
    )

async function unshare(session: Session, wanted: string, options: Options): Promise<void> {
  const { client, report } = session
  const { id, name } = await findTask(session, wanted)
  const target = await consumerOf(session, options)
  const live = await allPages((query) =>
    client.call(allRoutes.listShares, { params: { id }, query: { ...query, lifecycle: 'active' } }),
  )
  const found = live.find(
    (share) => share.target_kind === target.consumer_scope && share.target_id === target.consumer_id,
  )
  if (!found) {
    throw new CliError(`${name} is not shared with that ${target.consumer_scope}.`, {
      hint: `sandbox task show ${id} lists its shares.`,
      code: 'cli_unknown_name',
    })
  }
  const body = options.reason === undefined ? {} : { reason: options.reason }
  const grant = await client.call(allRoutes.revokeShare, { params: { id, gid: found.id }, body })
  report.result(shareText('is no longer shared with', grant), grant)
}
