import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findRun } from '../../lookup/find-run.ts'
import { showContent } from '../../runs/show-content.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
}

export const outputCommand = (): Command =>
  serviceCommand('output')
    .description('print the output of a run')
    .argument('<run>', 'id of the run')
    .addOption(runRoomOption())
    .action((run: string, options: Options) =>
      withSession(options, async (session) =>
        showContent(session, await findRun(session, run, options.room), 'output'),
      ),
    )
