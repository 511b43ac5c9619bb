import type { Schedule } from '@sandbox-jobs/contract/resources/schedules/schedule.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Command } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { findMenuItem } from '../../lookup/find-menu-item.ts'
import { bodyWithInput, type RunInput, readInput } from '../../runs/read-input.ts'
import { setFields } from '../../runs/set-fields.ts'
import type { Session } from '../../session/session.ts'
import { oneSchedule, stateOf } from './schedules.ts'
import {
  cronHelp,
  missedOption,
  previewText,
  type ScheduleOptions,
  setHelp,
  zoneHelp,
} from './schedules-add.ts'

interface ChangeOptions extends ScheduleOptions {
  cron?: string
  zone?: string
  taskTimeout?: boolean
  dryRun?: boolean
}

type Params = { cid: string; sid: string }

export const schedulesChangeCommand = (): Command =>
  oneSchedule<ChangeOptions>(
    'change',
    'change a schedule; its runs are yours from then on',
    async (session, params, { schedule, options }) => {
      const fields = fieldsOf(options)
      const input = await changedInput(session, params, { schedule, options })
      if (options.dryRun) return preview(session, params.cid, { ...schedule, ...fields })
      const changed = await session.client.call(allRoutes.updateSchedule, {
        params,
        ...(input ? bodyWithInput(fields, input) : { body: fields }),
      })
      const then = changed.paused_because === null ? `runs next at ${stateOf(changed)}` : 'stays paused'
      session.report.result(`${changed.id} ${then}.\n`, changed)
    },
  )
    .option('--name <name>', 'new name')
    .option('--cron <cron>', cronHelp)
    .option('--zone <zone>', zoneHelp)
    .option('--input <json>', 'new JSON input as text, or a file with it, - for standard input')
    .option('--set <name=value>', setHelp, repeated)
    .addOption(missedOption())
    .option('--timeout <seconds>', 'timeout of each run in seconds', wholeNumber)
    .option('--task-timeout', 'the timeout of each run is that of the task')
    .option('--dry-run', 'show the next ticks and the price that it would have, and change nothing')

/** The fields of the request, without the input. */
function fieldsOf({ name, cron, zone, missed, timeout, taskTimeout }: ChangeOptions) {
  const timeout_seconds = taskTimeout ? null : timeout
  return {
    ...(name !== undefined && { name }),
    ...(cron !== undefined && { cron }),
    ...(zone !== undefined && { time_zone: zone }),
    ...(missed !== undefined && { missed }),
    ...(timeout_seconds !== undefined && { timeout_seconds }),
  }
}

/** Fields are set in the given input, else in the stored one; undefined: it stays. */
async function changedInput(
  session: Session,
  params: Params,
  { schedule, options }: { schedule: Schedule; options: ChangeOptions },
): Promise<RunInput | undefined> {
  const { input: given, set = [] } = options
  if (given === undefined && set.length === 0) return undefined
  const read = given === undefined ? await storedInput(session, params) : await readInput(given)
  if (set.length === 0) return read
  const { input_schema: schema } = await findMenuItem(session, params.cid, schedule.task_id)
  return setFields(read, set, schema)
}

async function storedInput({ client }: Session, params: Params): Promise<RunInput> {
  const text = await (await client.call(allRoutes.readScheduleInput, { params })).text()
  return { value: JSON.parse(text), text }
}

async function preview(
  { client, report }: Session,
  cid: string,
  { task_id, cron, time_zone, timeout_seconds }: Schedule,
): Promise<void> {
  const timeout = timeout_seconds === null ? {} : { timeout_seconds }
  const query = { task_id, cron, time_zone, ...timeout }
  const shown = await client.call(allRoutes.previewSchedule, { params: { cid }, query })
  report.result(previewText(shown), shown)
}
