import type { Command } from 'commander'
import { runRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { followLog } from '../../logs/follow-log.ts'
import { logOfRun } from '../../logs/followed-logs.ts'
import { findRun } from '../../lookup/find-run.ts'
import { showContent } from '../../runs/show-content.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

export interface LogOptions extends ConnectionOptions {
  room?: string
  follow?: boolean
}

export const logsCommand = (argument: '<run>' | '[run]' = '<run>'): Command =>
  serviceCommand('logs')
    .description('print the log of a run')
    .argument(argument, 'id of the run')
    .addOption(runRoomOption())
    .option('-f, --follow', 'show the log while the run writes it, until the run ends')
    .action(showRunLog)

export const showRunLog = (run: string, options: LogOptions): Promise<void> =>
  withSession(options, async (session) => {
    const reference = await findRun(session, run, options.room)
    if (options.follow === true) await followLog(session, logOfRun(session, reference))
    else await showContent(session, reference, 'log')
  })
