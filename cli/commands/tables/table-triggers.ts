import {
  rowEvents,
  type TableTrigger,
  triggerEventStatuses,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { roomOption } from '../../args/room-option.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber } from '../../args/whole-number.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { findTable } from '../../lookup/find-table.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import { readInput } from '../../runs/read-input.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'
import { tableArgument } from './table-catalogue.ts'

const triggerArgument = 'id of the trigger'

export const tableTriggersCommand = (): Command =>
  serviceCommand('triggers')
    .description('list the triggers of a table')
    .argument('<table>', tableArgument)
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTable(session, wanted)
        const items = await allPages((query) =>
          session.client.call(allRoutes.listTableTriggers, { params: { id }, query }),
        )
        const rows = items.map((each) => [
          each.name,
          each.events.join(','),
          each.task_version_id,
          each.chatroom_id,
          refusalOf(each),
          each.id,
        ])
        session.report.result(table(['NAME', 'EVENTS', 'VERSION', 'ROOM', 'LAST REFUSAL', 'ID'], rows), {
          items,
        })
      }),
    )

const refusalOf = ({ last_error_code, last_refused_at }: TableTrigger): string =>
  last_error_code === null ? '' : `${last_error_code} ${last_refused_at ?? ''}`

interface AddOptions extends ConnectionOptions {
  room?: string
  taskVersion: string
  on: (typeof rowEvents)[number][]
  name?: string
  input?: string
  timeout?: number
}

export const tableTriggerAddCommand = (): Command =>
  serviceCommand('trigger-add')
    .description('start a run, as yourself, for each change of a row')
    .argument('<table>', tableArgument)
    .addOption(roomOption())
    .requiredOption('--task-version <version>', 'id of the version that runs')
    .addOption(
      new Option('--on <event...>', 'which changes start a run').choices(rowEvents).default(['create']),
    )
    .option('--name <name>', 'name of the trigger (default: the changes)')
    .option('--input <json>', 'input template, as text or a file: JSON with {{values.FIELD}} and the like')
    .addOption(new Option('--timeout <seconds>', 'how long each run may take').argParser(wholeNumber))
    .addHelpText(
      'after',
      '\nExample:\n  sandbox table trigger-add orders --room sales --task-version tvr_0197... --input \'{"order": "{{values.order_id}}"}\'',
    )
    .action((wanted: string, options: AddOptions) =>
      withSession(options, async (session) => {
        const { client, report } = session
        const { id } = await findTable(session, wanted)
        const template = options.input === undefined ? undefined : (await readInput(options.input)).value
        const trigger = await client.call(allRoutes.createTableTrigger, {
          params: { id },
          body: {
            name: options.name ?? options.on.join(', '),
            events: options.on,
            chatroom_id: await findRoom(session, options.room),
            task_version_id: options.taskVersion,
            ...(template !== undefined && { input_template: template }),
            ...(options.timeout !== undefined && { timeout_seconds: options.timeout }),
          },
        })
        report.result(`${trigger.id} starts a run on ${trigger.events.join(' and ')}.\n`, trigger)
      }),
    )

export const tableTriggerArchiveCommand = (): Command =>
  serviceCommand('trigger-archive')
    .description('end a trigger; changes that wait for it start no run')
    .argument('<trigger>', triggerArgument)
    .action((id: string, options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const trigger = await client.call(allRoutes.archiveTableTrigger, { params: { id } })
        report.result(`Archived ${escapeControls(trigger.name)}.\n`, trigger)
      }),
    )

interface EventsOptions extends ConnectionOptions {
  status?: (typeof triggerEventStatuses)[number]
}

export const tableTriggerEventsCommand = (): Command =>
  serviceCommand('trigger-events')
    .description('list the latest changes that a trigger handled, with their runs, newest first')
    .argument('<trigger>', triggerArgument)
    .addOption(new Option('--status <status>', 'only these').choices(triggerEventStatuses))
    .action((id: string, options: EventsOptions) =>
      withSession(options, async ({ client, report }) => {
        const { items } = await client.call(allRoutes.listTriggerEvents, {
          params: { id },
          query: { page_size: 100, ...(options.status && { status: options.status }) },
        })
        const rows = items.map((each) => [
          each.created_at,
          each.event,
          `${each.row_id} ${each.row_version}`,
          each.status,
          each.run_id ?? each.error_code ?? '',
        ])
        report.result(table(['TIME', 'EVENT', 'ROW', 'STATUS', 'RUN'], rows), { items })
      }),
    )
