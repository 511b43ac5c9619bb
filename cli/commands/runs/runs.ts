import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { VisibleRun } from '@sandbox-jobs/contract/resources/runs/visible-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type RunState, runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import { type Command, Option } from 'commander'
import { optionalRoomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumberUpTo } from '../../args/whole-number.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { namesOfPeople } from '../../lookup/names-of-people.ts'
import { durationText } from '../../output/sizes.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

interface Options extends ConnectionOptions {
  room?: string
  status?: RunState[]
  limit: number
}

const limitMax = 100

export const runsCommand = (): Command =>
  serviceCommand('runs')
    .description('list the latest runs of your rooms, or of one, newest first')
    .addOption(optionalRoomOption())
    .addOption(new Option('--status <status...>', 'only runs in these states').choices(runStates))
    .addOption(
      new Option('--limit <count>', `how many, at most ${limitMax}`)
        .argParser(wholeNumberUpTo(limitMax))
        .default(20),
    )
    .action((options: Options) =>
      withSession(options, async (session) => {
        const cid = options.room === undefined ? undefined : await findRoom(session, options.room)
        const items = await listRuns(session, cid, options)
        await session.remember(items)
        const people = session.report.json ? new Map<string, string>() : await namesOfPeople(session, items)
        const headings = ['RUN', 'TASK', 'BY', 'STATUS', 'EXIT', 'ERROR', 'QUEUED', 'TOOK']
        const rows = items.map((run) => rowOf(run, people))
        const withRooms = rows.map((row, index) => [...row, items[index]?.chatroom_name ?? ''])
        const text = cid === undefined ? table([...headings, 'ROOM'], withRooms) : table(headings, rows)
        session.report.result(text, { items })
      }),
    )

type ListedRun = RunDetail & Partial<Pick<VisibleRun, 'task_name' | 'chatroom_name'>>

async function listRuns(
  session: Session,
  cid: string | undefined,
  { limit, status }: Options,
): Promise<ListedRun[]> {
  const { client } = session
  const query = { page_size: limit, ...(status !== undefined && { status }) }
  const room = cid !== undefined && { chatroom_id: cid }
  try {
    return (await client.call(allRoutes.listVisibleRuns, { query: { ...query, ...room } })).items
  } catch (error) {
    // A sandbox-scope key lists its own runs of one room, without names.
    if (!(error instanceof ApiError && error.status === 403)) throw error
    const params = { cid: cid ?? (await findRoom(session, undefined)) }
    return (await client.call(allRoutes.listRuns, { params, query })).items
  }
}

const rowOf = (run: ListedRun, people: ReadonlyMap<string, string>): string[] => [
  run.id,
  run.task_name ?? run.task_id,
  people.get(run.principal_id) ?? run.principal_id,
  run.status,
  run.exit_code === null ? '' : String(run.exit_code),
  run.error_code,
  run.queued_at ?? '',
  run.queued_at === null || run.terminal_at === null
    ? ''
    : durationText(Date.parse(run.terminal_at) - Date.parse(run.queued_at)),
]
