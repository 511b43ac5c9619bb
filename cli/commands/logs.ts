import type { Command } from 'commander'
import { runRoomOption } from '../args/room-option.ts'
import { serviceCommand } from '../args/service-command.ts'
import { findRun } from '../lookup/find-run.ts'
import { showContent } from '../runs/show-content.ts'
import type { ConnectionOptions } from '../session/connection.ts'
import { withSession } from '../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const logsCommand = (): Command =>
  serviceCommand('logs')
    .description('print the log of a run; makes its public link')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .action((run: string, options: Options) =>
      withSession(options, async (session) =>
        showContent(session, await findRun(session, run, options.room), 'log'),
      ),
    )
