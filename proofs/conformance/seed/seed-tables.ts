import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { newUuid } from '../../../server/base/ids.ts'
import type { SeedScope, SeedTools } from './seed-tools.ts'

/** A table with a row, a command and a trigger; the row belongs to the room. */
export async function makeTables(
  { sendOk }: SeedTools,
  { companyId, department, room, manager, taskVersion }: SeedScope & { taskVersion: string },
) {
  const fields = [{ name: 'key', type: 'text', required: true }]
  const table = await sendOk(manager, allRoutes.createTable, {
    body: { name: 't', fields, owner_scope: 'department', owner_id: department, channel_rule: true },
  })
  const params = { id: String(table.id) }
  const row = await sendOk(manager, allRoutes.createRow, {
    params,
    body: { values: { key: '1' }, chatroom_id: room },
    headers: { 'idempotency-key': 'example' },
  })
  const granted = { granted_scope: 'company', granted_id: companyId }
  const command = await sendOk(manager, allRoutes.createTableCommand, {
    params,
    body: { name: 'c', inputs: fields, effect_identity: ['key'], ...granted },
  })
  const trigger = await sendOk(manager, allRoutes.createTableTrigger, {
    params,
    body: { name: 't', events: ['update'], chatroom_id: room, task_version_id: taskVersion },
  })
  return {
    table: params.id,
    row: String(row.id),
    command: String(command.id),
    trigger: String(trigger.id),
    callbackToken: newUuid(),
  }
}
