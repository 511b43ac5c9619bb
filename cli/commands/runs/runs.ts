import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type RunState, runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import { type Command, Option } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumberUpTo } from '../../args/whole-number.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { durationText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room: string
  status?: RunState[]
  limit: number
}

const limitMax = 100

export const runsCommand = (): Command =>
  serviceCommand('runs')
    .description('list the latest runs of a room, newest first')
    .addOption(roomOption())
    .addOption(new Option('--status <status...>', 'only runs in these states').choices(runStates))
    .addOption(
      new Option('--limit <count>', `how many, at most ${limitMax}`)
        .argParser(wholeNumberUpTo(limitMax))
        .default(20),
    )
    .action((options: Options) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const page = await session.client.call(allRoutes.listRuns, {
          params: { cid },
          query: {
            page_size: options.limit,
            ...(options.status === undefined ? {} : { status: options.status }),
          },
        })
        await session.remember(page.items)
        const headings = ['RUN', 'STATUS', 'EXIT', 'ERROR', 'QUEUED', 'TOOK']
        session.report.result(table(headings, page.items.map(rowOf)), { items: page.items })
      }),
    )

const rowOf = (run: RunDetail): string[] => [
  run.id,
  run.status,
  run.exit_code === null ? '' : String(run.exit_code),
  run.error_code,
  run.queued_at ?? '',
  run.queued_at === null || run.terminal_at === null
    ? ''
    : durationText(Date.parse(run.terminal_at) - Date.parse(run.queued_at)),
]
