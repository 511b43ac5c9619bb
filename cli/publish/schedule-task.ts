import { isDeepStrictEqual } from 'node:util'
import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { CliError } from '../failure.ts'
import { findRoom } from '../lookup/find-room.ts'
import { escapeControls } from '../output/escape-controls.ts'
import type { Session } from '../session/session.ts'
import type { Published } from './publish-task.ts'
import type { TaskSource } from './read-task-file.ts'

/** A schedule of a task file, with the id of its room. */
interface PlannedSchedule {
  cid: string
  name: string
  fields: Pick<Schedule, 'cron' | 'time_zone' | 'missed' | 'timeout_seconds'>
  input: unknown
}

/** Looks up the room of each schedule of a task file, so that a wrong name is refused before anything is published. */
export async function findSchedules(
  session: Session,
  { task, scheduleInputs }: TaskSource,
): Promise<PlannedSchedule[]> {
  const planned: PlannedSchedule[] = []
  for (const [
    at,
    { room, name, cron, time_zone, missed = 'skip', timeout_seconds = null },
  ] of task.schedules.entries())
    planned.push({
      cid: await findRoom(session, room),
      name: name ?? task.name,
      fields: { cron, time_zone, missed, timeout_seconds },
      input: scheduleInputs[at],
    })
  return planned
}

/** Makes the schedules of a task file, or changes those that differ from it, and returns their number. Others stay. */
export async function scheduleTask(
  session: Session,
  planned: readonly PlannedSchedule[],
  { task }: Published,
): Promise<number> {
  let changed = 0
  for (const schedule of planned) if (await scheduleOne(session, schedule, task)) changed += 1
  return changed
}

async function scheduleOne(
  session: Session,
  { cid, name, fields, input }: PlannedSchedule,
  task: Published['task'],
): Promise<boolean> {
  const { client, report } = session
  const { items } = await client.call(allRoutes.listSchedules, { params: { cid } })
  const found = items.find((item) => item.name === name)
  if (!found) {
    const body = { ...fields, name, task_id: task.id, input }
    const { id } = await client.call(allRoutes.createSchedule, { params: { cid }, body })
    report.progress(`scheduled as ${escapeControls(name)} (${id})`)
    return true
  }
  if (found.task_id !== task.id)
    throw new CliError(`The schedule ${name} of that room runs another task.`, {
      hint: 'Give the schedule another name in the task file, or remove the other one: sandbox schedules remove.',
      code: 'cli_task_file',
    })
  const params = { cid, sid: found.id }
  const stored: unknown = await (await client.call(allRoutes.readScheduleInput, { params })).json()
  const { cron, time_zone, missed, timeout_seconds } = found
  const now = { fields: { cron, time_zone, missed, timeout_seconds }, input: stored }
  if (isDeepStrictEqual(now, { fields, input })) return false
  await client.call(allRoutes.updateSchedule, { params, body: { ...fields, input } })
  report.progress(`changed the schedule ${escapeControls(name)}`)
  return true
}
