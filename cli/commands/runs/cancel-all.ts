import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type RunState, runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import { type Command, Option } from 'commander'
import { optionalRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { findRoom } from '../../lookup/find-room.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  status?: RunState[]
  yes?: boolean
}

export const cancelAllCommand = (): Command =>
  serviceCommand('cancel-all')
    .description('cancel all runs of your rooms, or of one, that still go on; without --yes count them alone')
    .addOption(optionalRoomOption())
    .addOption(new Option('--status <status...>', 'only runs in these states').choices(runStates))
    .option('--yes', 'cancel them')
    .action((options: Options) =>
      withSession(options, async (session) => {
        const room = options.room === undefined ? {} : { chatroom_id: await findRoom(session, options.room) }
        const filter = { ...room, ...(options.status && { status: options.status }) }
        const send = (expected: number, dry_run: boolean) =>
          session.client.call(allRoutes.cancelRuns, { body: { filter, expected, dry_run } })
        let { left } = await send(0, true)
        let cancelled = 0
        while (options.yes && left > 0) {
          const answer = await send(left, false)
          cancelled += answer.cancelled
          left = answer.cancelled === 0 ? 0 : answer.left
        }
        const text = options.yes
          ? `${cancelled} runs are cancelled.\n`
          : `${left} runs go on. --yes cancels them.\n`
        session.report.result(text, options.yes ? { cancelled } : { left })
      }),
    )
