import {
  type MissedPolicy,
  missedPolicies,
} from '@sandbox-jobs/contract/resources/schedules/missed-policy.ts'
import type { SchedulePreview } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { findMenuItem } from '../../lookup/find-menu-item.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { bodyWithInput, readInput } from '../../runs/read-input.ts'
import { setFields } from '../../runs/set-fields.ts'
import { type Session, withSession } from '../../session/session.ts'
import { type RoomOptions, scheduleCommand, stateOf } from './schedules.ts'

/** The fields that a new schedule and its change share. */
export interface ScheduleOptions extends RoomOptions {
  name?: string
  input?: string
  set?: string[]
  missed?: MissedPolicy
  timeout?: number
}

interface TimesOptions extends RoomOptions {
  cron: string
  zone: string
  timeout?: number
}

export const cronHelp = 'minute, hour, day of the month, month, day of the week: "30 7 * * mon-fri"'
export const zoneHelp = 'time zone, such as Europe/Berlin or UTC'
export const setHelp = 'set a field of the input, by the schema of the task; repeatable'

export const missedOption = (): Option =>
  new Option('--missed <policy>', 'ticks that the service missed: skip them, or run once').choices(
    missedPolicies,
  )

const timesCommand = (name: string, description: string): Command =>
  scheduleCommand(name, description)
    .argument('<task>', 'task that the room has enabled, by name or id')
    .requiredOption('--cron <cron>', cronHelp)
    .requiredOption('--zone <zone>', zoneHelp)
    .option('--timeout <seconds>', 'timeout of each run in seconds (default: that of the task)', wholeNumber)

/** The fields that a schedule and its preview share. */
async function timesOf(session: Session, task: string, { room, cron, zone }: TimesOptions) {
  const cid = await findRoom(session, room)
  const item = await findMenuItem(session, cid, task)
  return { cid, item, times: { task_id: item.task_id, cron, time_zone: zone } }
}

export const schedulesPreviewCommand = (): Command =>
  timesCommand('preview', 'show the next ticks and the price of a schedule, and make nothing').action(
    (task: string, options: TimesOptions) =>
      withSession(options, async (session) => {
        const { cid, times } = await timesOf(session, task, options)
        const { timeout } = options
        const preview = await session.client.call(allRoutes.previewSchedule, {
          params: { cid },
          query: { ...times, ...(timeout !== undefined && { timeout_seconds: timeout }) },
        })
        session.report.result(previewText(preview), preview)
      }),
  )

export function previewText({ next_at, ticks_30_days, run, ...costs }: SchedulePreview): string {
  const { hold_30_days: most, typical_cost_30_days: typical } = costs
  const lines = [
    ...next_at.map((at) => `next: ${at}`),
    `runs in 30 days: ${ticks_30_days}`,
    most === null ? 'price: none' : `price of 30 days: at most ${most} ${run.currency}`,
    ...(typical === null ? [] : [`by earlier runs: ${typical} ${run.currency}`]),
    ...run.refusals.map(({ code, message }) => `refused: ${escapeControls(message)} (${code})`),
  ]
  return `${lines.join('\n')}\n`
}

type AddOptions = TimesOptions & ScheduleOptions

export const schedulesAddCommand = (): Command =>
  timesCommand('add', 'run a task of a room at times of a calendar, as yourself')
    .option('--name <name>', 'name of the schedule (default: that of the task)')
    .option('--input <json>', 'JSON input as text, or a file with it, - for standard input; without it {}')
    .option('--set <name=value>', setHelp, repeated)
    .addOption(missedOption())
    .addHelpText('after', '\nsandbox schedules preview shows the ticks and the price first.')
    .action((task: string, options: AddOptions) =>
      withSession(options, (session) => add(session, task, options)),
    )

async function add(session: Session, task: string, options: AddOptions): Promise<void> {
  const { input: given = '{}', set = [], missed, timeout } = options
  const read = await readInput(given)
  const { cid, item, times } = await timesOf(session, task, options)
  const input = setFields(read, set, item.input_schema)
  const rest = {
    ...times,
    name: options.name ?? item.task_name,
    ...(timeout !== undefined && { timeout_seconds: timeout }),
    ...(missed && { missed }),
  }
  const schedule = await session.client.call(allRoutes.createSchedule, {
    params: { cid },
    ...bodyWithInput(rest, input),
  })
  session.report.result(`${schedule.id} runs next at ${stateOf(schedule)}.\n`, schedule)
}
