import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type Command, Option } from 'commander'
import { repeated } from '../../args/repeated.ts'
import { serviceCommand } from '../../args/service-command.ts'
import { allPages } from '../../lookup/all-pages.ts'
import { findDepartment } from '../../lookup/find-department.ts'
import { findTable } from '../../lookup/find-table.ts'
import { escapeControls } from '../../output/escape-controls.ts'
import { table } from '../../output/table.ts'
import type { ConnectionOptions } from '../../session/connection.ts'
import { withSession } from '../../session/session.ts'
import { fieldOf } from '../../tables/field-values.ts'

export const tableArgument = 'name or id of the table'

export const tableListCommand = (): Command =>
  serviceCommand('list')
    .description('list the tables that you manage')
    .action((options: ConnectionOptions) =>
      withSession(options, async ({ client, report }) => {
        const items = await allPages((query) => client.call(allRoutes.listTables, { query }))
        const rows = items.map((each) => [
          each.name,
          each.owner_scope,
          String(each.row_count),
          flagsOf(each),
          each.id,
        ])
        report.result(table(['NAME', 'OWNER', 'ROWS', 'FLAGS', 'ID'], rows), { items })
      }),
    )

const flagsOf = ({ commands_only, channel_rule }: CustomTable): string =>
  [...(commands_only ? ['commands only'] : []), ...(channel_rule ? ['by room'] : [])].join(', ')

export const tableShowCommand = (): Command =>
  serviceCommand('show')
    .description('show a table and its fields')
    .argument('<table>', tableArgument)
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const found = await findTable(session, wanted)
        session.report.result(textOf(found), found)
      }),
    )

function textOf(found: CustomTable): string {
  const flags = flagsOf(found)
  const lead = `${escapeControls(found.name)} (${found.id}), ${found.row_count} rows${flags ? `, ${flags}` : ''}\n`
  const rows = found.fields.map(({ name, type, required }) => [name, type, required ? 'required' : ''])
  return lead + table(['FIELD', 'TYPE', ''], rows)
}

interface CreateOptions extends ConnectionOptions {
  field: string[]
  department?: string
  description?: string
  commandsOnly?: boolean
  channelRule?: boolean
}

export const tableCreateCommand = (): Command =>
  serviceCommand('create')
    .description('create a table of the company, or of a department')
    .argument('<name>', 'name of the table')
    .addOption(
      new Option('--field <field>', 'a field as NAME:TYPE, or NAME:TYPE! for a required one; several times')
        .argParser(repeated)
        .makeOptionMandatory(),
    )
    .option('--department <department>', 'its owner, by id or name (default: the company)')
    .option('--description <text>', 'what it is for')
    .option('--commands-only', 'rows change by commands alone')
    .option('--channel-rule', 'each row belongs to a chatroom')
    .addHelpText(
      'after',
      '\nExample:\n  sandbox table create orders --field order_id:text! --field amount:number --department sales',
    )
    .action((name: string, options: CreateOptions) =>
      withSession(options, async (session) => {
        const { client, report } = session
        const fields = options.field.map(fieldOf)
        const owner =
          options.department === undefined
            ? ({
                owner_scope: 'company',
                owner_id: (await client.call(allRoutes.readMe)).company_id,
              } as const)
            : ({
                owner_scope: 'department',
                owner_id: await findDepartment(session, options.department),
              } as const)
        const made = await client.call(allRoutes.createTable, {
          body: {
            name,
            fields,
            ...owner,
            ...(options.description !== undefined && { description: options.description }),
            commands_only: options.commandsOnly === true,
            channel_rule: options.channelRule === true,
          },
        })
        report.result(`Created ${escapeControls(made.name)} (${made.id}).\n`, made)
      }),
    )

export const tableCommandsCommand = (): Command =>
  serviceCommand('commands')
    .description('list the commands of a table')
    .argument('<table>', tableArgument)
    .action((wanted: string, options: ConnectionOptions) =>
      withSession(options, async (session) => {
        const { id } = await findTable(session, wanted)
        const items = await allPages((query) =>
          session.client.call(allRoutes.listTableCommands, { params: { id }, query }),
        )
        const rows = items.map((each) => [
          each.name,
          each.mode,
          each.inputs.map((input) => input.name).join(','),
          each.effect_identity?.join(',') ?? '',
          `${each.granted_scope} ${each.granted_id}`,
          each.id,
        ])
        const headings = ['NAME', 'MODE', 'INPUTS', 'IDENTITY', 'GRANTED TO', 'ID']
        session.report.result(table(headings, rows), { items })
      }),
    )
