import type { RefusedConnection } from '@sandbox-jobs/contract/resources/runs/network-log.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findRun } from '../../lookup/find-run.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const networkLogCommand = (): Command =>
  serviceCommand('network-log')
    .description('show the refused connections of an ended run, with the reasons')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .action((run: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findRun(session, run, options.room)
        const log = await session.client.call(allRoutes.readNetworkLog, { params })
        const rows = log.items.map((item) => [
          item.first_at,
          String(item.attempts),
          item.protocol,
          targetOf(item),
          item.explanation,
        ])
        const more = log.more > 0 ? `and ${log.more} further attempts\n` : ''
        const shown = `${table(['SINCE', 'TIMES', 'BY', 'TO', 'WHY'], rows)}${more}`
        session.report.result(rows.length > 0 ? shown : 'No connection of this run was refused.\n', log)
      }),
    )

function targetOf({ name, address, port }: RefusedConnection): string {
  if (name !== '') return address === '' ? name : `${name} (${address})`
  if (address === '') return '-'
  return port === 0 ? address : address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
