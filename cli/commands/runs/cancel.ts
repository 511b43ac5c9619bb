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

export const cancelCommand = (): Command =>
  serviceCommand('cancel')
    .description('cancel a run; a second time kills what goes on; has no effect on a run that has ended')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const params = await findRun(session, wanted, options.room)
        const run = await session.client.call(allRoutes.cancelRun, { params })
        session.report.result(`${run.id} is ${run.status}.\n`, run)
      }),
    )
