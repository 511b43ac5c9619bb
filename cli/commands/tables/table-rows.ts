import { randomUUID } from 'node:crypto'
import { exportFormats } from '@sandbox-jobs/contract/resources/tables/table-row.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { wholeNumber, wholeNumberUpTo } from '../../args/whole-number.ts'
import { findRoom } from '../../lookup/find-room.ts'
import { findTable } from '../../lookup/find-table.ts'
import { bodyOf, showBytes } from '../../runs/download.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { readWithRetry } from '../../session/read-with-retry.ts'
import { withSession } from '../../session/session.ts'
import { fieldValues } from '../../tables/field-values.ts'
import { rowsText } from '../../tables/row-text.ts'
import { tableArgument } from './table-catalogue.ts'

const limitMax = 100
const filterOption = () =>
  new Option(
    '--filter <condition>',
    'FIELD:OPERATOR:VALUE with eq, ne, lt, lte, gt, gte, contains, or FIELD:is:null; several times',
  ).argParser(repeated)
const setOption = () =>
  new Option('--set <assignment>', 'a value as FIELD=VALUE; several times').argParser(repeated)

interface RowsOptions extends ConnectionOptions {
  filter?: string[]
  sort?: string
  limit: number
}

export const tableRowsCommand = (): Command =>
  serviceCommand('rows')
    .description('list rows of a table')
    .argument('<table>', tableArgument)
    .addOption(filterOption())
    .option('--sort <field>', 'field to sort by; --sort=-FIELD for descending')
    .addOption(
      new Option('--limit <count>', `how many, at most ${limitMax}`)
        .argParser(wholeNumberUpTo(limitMax))
        .default(50),
    )
    .addHelpText('after', '\nExample:\n  sandbox table rows orders --filter amount:gte:10 --sort=-amount')
    .action((wanted: string, options: RowsOptions) =>
      withSession(options, async (session) => {
        const { id, fields } = await findTable(session, wanted)
        const { items, next_page_token } = await session.client.call(allRoutes.listRows, {
          params: { id },
          query: {
            page_size: options.limit,
            ...(options.filter && { filter: options.filter }),
            ...(options.sort !== undefined && { sort: options.sort }),
          },
        })
        if (next_page_token !== null)
          session.report.progress('There are more rows; sandbox table export has all.')
        session.report.result(rowsText(fields, items), { items })
      }),
    )

interface InsertOptions extends ConnectionOptions {
  set?: string[]
  room?: string
  key?: string
}

export const tableInsertCommand = (): Command =>
  serviceCommand('insert')
    .description('create a row')
    .argument('<table>', tableArgument)
    .addOption(setOption())
    .option('--room <room>', 'chatroom that the row belongs to, for a table with a channel rule')
    .option('--key <key>', 'name of this insertion: repeating it returns the first row')
    .action((wanted: string, options: InsertOptions) =>
      withSession(options, async (session) => {
        const { client, report } = session
        const { id, fields } = await findTable(session, wanted)
        const values = fieldValues(fields, options.set ?? [])
        const room = options.room === undefined ? {} : { chatroom_id: await findRoom(session, options.room) }
        const idempotencyKey = options.key ?? randomUUID()
        const row = await readWithRetry(
          () =>
            client.call(allRoutes.createRow, { params: { id }, idempotencyKey, body: { values, ...room } }),
          () => report.progress('The service does not accept the row yet; retrying.'),
        )
        report.result(`${row.id}\n`, row)
      }),
    )

interface UpdateOptions extends ConnectionOptions {
  set?: string[]
  clear?: string[]
  rowVersion?: number
}

export const tableUpdateCommand = (): Command =>
  serviceCommand('update')
    .description('change values of a row')
    .argument('<table>', tableArgument)
    .argument('<row>', 'id of the row')
    .addOption(setOption())
    .addOption(
      new Option('--clear <field>', 'field to remove the value of; several times').argParser(repeated),
    )
    .addOption(
      new Option('--row-version <number>', 'only if the row still has this version').argParser(wholeNumber),
    )
    .action((wanted: string, rid: string, options: UpdateOptions) =>
      withSession(options, async (session) => {
        const { id, fields } = await findTable(session, wanted)
        const cleared = Object.fromEntries((options.clear ?? []).map((name) => [name, null]))
        const row = await session.client.call(allRoutes.updateRow, {
          params: { id, rid },
          body: {
            values: { ...cleared, ...fieldValues(fields, options.set ?? []) },
            ...(options.rowVersion !== undefined && { version: options.rowVersion }),
          },
        })
        session.report.result(`${row.id} has version ${row.version}.\n`, row)
      }),
    )

export const tableDeleteCommand = (): Command =>
  serviceCommand('delete')
    .description('delete a row for good')
    .argument('<table>', tableArgument)
    .argument('<row>', 'id of the row')
    .action((wanted: string, rid: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTable(session, wanted)
        const deleted = await session.client.call(allRoutes.deleteRow, { params: { id, rid } })
        session.report.result(`Deleted ${deleted.id}.\n`, deleted)
      }),
    )

interface ExportOptions extends ConnectionOptions {
  format?: (typeof exportFormats)[number]
  filter?: string[]
}

export const tableExportCommand = (): Command =>
  serviceCommand('export')
    .description('print all rows of a table, as CSV or as JSON lines')
    .argument('<table>', tableArgument)
    .addOption(
      new Option('--format <format>', 'form of the rows (default: csv, with --json jsonl)').choices(
        exportFormats,
      ),
    )
    .addOption(filterOption())
    .addHelpText('after', '\nExample:\n  sandbox table export orders > orders.csv')
    .action((wanted: string, options: ExportOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTable(session, wanted)
        const format = options.format ?? (session.report.json ? 'jsonl' : 'csv')
        const answer = await session.client.call(allRoutes.exportRows, {
          params: { id },
          query: { format, ...(options.filter && { filter: options.filter }) },
        })
        await showBytes(bodyOf(answer))
      }),
    )
