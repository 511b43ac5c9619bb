import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findRun } from '../../lookup/find-run.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const deleteContentCommand = (): Command =>
  serviceCommand('delete-content')
    .description('delete input, output, log and artifacts of ended runs; the runs stay listed')
    .argument('<run...>', 'ids of the runs')
    .addOption(runRoomOption())
    .action((wanted: string[], options: Options) =>
      withSession(options, async (session) => {
        const items = []
        for (const run of wanted) {
          const params = await findRun(session, run, options.room)
          items.push(await session.client.call(allRoutes.deleteRunContent, { params }))
        }
        const lines = items.map(({ run_id }) => `Deleted the content of ${run_id}.\n`)
        session.report.result(lines.join(''), { items })
      }),
    )
