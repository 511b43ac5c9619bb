import { commandsOfTableMax, triggerEventsWaitingMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { sql } from 'kysely'
import { newId } from '../../../server/base/ids.ts'
import type { ErrorScenarios, ScenarioContext } from './error-scenario.ts'

const fields = [{ name: 'key', type: 'text' }]
const newRow = ({ ids }: ScenarioContext) => ({
  params: { id: ids.table },
  body: { values: { key: '5' }, chatroom_id: ids.room },
  headers: { 'idempotency-key': 'once' },
})
const commandFor = ({ ids, world }: ScenarioContext, traits: Record<string, unknown> = {}) => ({
  params: { id: ids.table },
  body: { name: 'c', inputs: fields, granted_scope: 'company', granted_id: world.own.companyId, ...traits },
})

/** Errors of custom tables. */
export const tableScenarios: ErrorScenarios = {
  custom_table_archived: async (context) => {
    const params = { id: context.ids.table }
    return context.sendTwice('manager', allRoutes.archiveTable, { params })
  },
  custom_table_commands_only: async (context) => {
    const params = { id: context.ids.table }
    await context.sendOk('manager', allRoutes.updateTable, { params, body: { commands_only: true } })
    return context.send('manager', allRoutes.createRow, newRow(context))
  },
  custom_table_not_empty: (context) =>
    context.send('manager', allRoutes.updateTable, {
      params: { id: context.ids.table },
      body: { channel_rule: false },
    }),
  custom_table_row_changed: (context) =>
    context.send('manager', allRoutes.updateRow, {
      params: { id: context.ids.table, rid: context.ids.row },
      body: { values: { key: '2' }, version: 9 },
    }),
  custom_table_limit_reached: async (context) => {
    const commands = Array.from({ length: commandsOfTableMax }, () => ({
      id: newId('tableCommand'),
      company_id: context.world.own.companyId,
      table_id: context.ids.table,
      name: 'c',
      description: '',
      inputs: JSON.stringify([{ name: 'key', type: 'text', required: false }]),
      mode: 'write' as const,
      authority: 'definition' as const,
      effect_identity: null,
      granted_scope: 'company' as const,
      granted_id: context.world.own.companyId,
      created_by: 'test',
      archived_at: null,
    }))
    await context.db.insertInto('custom_table_commands').values(commands).execute()
    return context.send('manager', allRoutes.createTableCommand, commandFor(context))
  },
  custom_table_trigger_needs_confirmation: async (context) => {
    const { ids } = context
    const params = { id: ids.task }
    const draft = await context.sendOk('manager', allRoutes.createTaskVersion, {
      params,
      body: { environment_version_id: ids.readyVersion, work_script: 'true', requires_confirmation: true },
    })
    const task_version_id = String(draft.id)
    await context.sendOk('manager', allRoutes.publishTaskVersion, {
      params: { ...params, vid: task_version_id },
    })
    return context.send('manager', allRoutes.updateTableTrigger, {
      params: { id: ids.trigger },
      body: { task_version_id },
    })
  },
  custom_table_trigger_backlog: async (context) => {
    const { ids, world } = context
    await sql`
      insert into custom_table_trigger_events (id, company_id, trigger_id, row_id, row_version, event, "values", byte_size, chain)
      select 'tev_' || n, ${world.own.companyId}, ${ids.trigger}, ${ids.row}, n, 'update', '{}', 2, 1
      from generate_series(1, ${triggerEventsWaitingMax}::int) n
    `.execute(context.db)
    return context.send('manager', allRoutes.updateRow, {
      params: { id: ids.table, rid: ids.row },
      body: { values: { key: '2' } },
    })
  },
  custom_table_command_denied: async (context) => {
    const command = await context.sendOk(
      'manager',
      allRoutes.createTableCommand,
      commandFor(context, { authority: 'caller' }),
    )
    return context.send('member', allRoutes.executeCommand, {
      params: { cid: context.ids.room, id: String(command.id) },
      body: { inputs: { key: '1' } },
      headers: { 'idempotency-key': 'once' },
    })
  },
}
