import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { pickNamed } from '../../lookup/pick-named.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { type Session, withSession } from '../../session/session.ts'

export interface RoomOptions extends ConnectionOptions {
  room?: string
}

export const scheduleCommand = (name: string, description: string): Command =>
  serviceCommand(name).description(description).addOption(roomOption())

export const schedulesListCommand = (): Command =>
  scheduleCommand('list', 'list the schedules of a room with their next ticks').action(
    (options: RoomOptions) =>
      withSession(options, async (session) => {
        const items = await schedulesOf(session, await findRoom(session, options.room))
        const rows = items.map((schedule) => [
          schedule.id,
          stateOf(schedule),
          `${schedule.cron} ${schedule.time_zone}`,
          schedule.task_name,
          schedule.name,
        ])
        session.report.result(table(['ID', 'NEXT', 'WHEN', 'TASK', 'NAME'], rows), { items })
      }),
  )

export const stateOf = ({ paused_because, next_at: [next] }: Schedule): string =>
  paused_because === null ? (next ?? '') : `paused (${paused_because})`

const schedulesOf = async ({ client }: Session, cid: string): Promise<Schedule[]> =>
  (await client.call(allRoutes.listSchedules, { params: { cid } })).items

/** A command on one schedule of a room. */
export const oneSchedule = <Options extends RoomOptions>(
  name: string,
  description: string,
  act: (
    session: Session,
    params: { cid: string; sid: string },
    given: { schedule: Schedule; options: Options },
  ) => Promise<void>,
): Command =>
  scheduleCommand(name, description)
    .argument('<schedule>', 'schedule by id or name')
    .action((wanted: string, options: Options) =>
      withSession(options, async (session) => {
        const cid = await findRoom(session, options.room)
        const schedule = pickNamed('schedule', wanted, await schedulesOf(session, cid))
        await act(session, { cid, sid: schedule.id }, { schedule, options })
      }),
    )

const enable = (enabled: boolean) => async (session: Session, params: { cid: string; sid: string }) => {
  const schedule = await session.client.call(allRoutes.updateSchedule, { params, body: { enabled } })
  const text = enabled ? `runs next at ${stateOf(schedule)}` : 'is paused'
  session.report.result(`${schedule.id} ${text}.\n`, schedule)
}

export const schedulesPauseCommand = (): Command =>
  oneSchedule('pause', 'start no run of a schedule until it is resumed', enable(false))

export const schedulesResumeCommand = (): Command =>
  oneSchedule('resume', 'resume a paused schedule; its runs are yours from then on', enable(true))

export const schedulesRemoveCommand = (): Command =>
  oneSchedule('remove', 'delete a schedule; its runs stay', async ({ client, report }, params) => {
    const schedule = await client.call(allRoutes.deleteSchedule, { params })
    report.result(`${schedule.id} is removed.\n`, schedule)
  })

export const schedulesTicksCommand = (): Command =>
  oneSchedule('ticks', 'list the ticks that came, newest first', async ({ client, report }, params) => {
    const items = await allPages((query) => client.call(allRoutes.listScheduleTicks, { params, query }))
    const rows = items.map(({ due_at, run_id, skipped_because }) => [
      due_at,
      run_id ?? `- ${skipped_because}`,
    ])
    report.result(table(['DUE', 'RUN'], rows), { items })
  })
