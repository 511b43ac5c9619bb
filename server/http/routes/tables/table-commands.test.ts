import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type {
  CommandExecution,
  TableCommand,
  TableCommandList,
} from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import { orderFields, TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
let tenant: Tenant
let manager: Principal
let table: CustomTable

beforeEach(async () => {
  tenant = await makeTenant(db)
  manager = tenant.departmentManager
  table = await tables.create(manager, tenant.departmentId, { commands_only: true })
})

const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { detail: { code?: string } }).detail.code,
]

const execute = (
  command: Pick<TableCommand, 'id'>,
  inputs: Record<string, unknown>,
  { as = tenant.member, room = tenant.roomId, key }: { as?: Principal; room?: string; key?: string } = {},
) =>
  tables.call<CommandExecution>(tableCommandRoutes.executeCommand, as, {
    params: { cid: room, id: command.id },
    body: { inputs },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  })

it('lets people of a room that it is granted to change a governed table, one row for each identity', async () => {
  const command = await tables.createCommand(manager, table)
  const first = await execute(command, { order_id: 'a', amount: 1 })
  expect(first.body).toEqual({
    command_id: command.id,
    row_id: expect.stringMatching(/^row_/),
    status: 'applied',
    applied_at: expect.any(String),
  })
  const second = await execute(command, { order_id: 'a', amount: 2 })
  expect(second.body.row_id).toBe(first.body.row_id)
  await execute(command, { order_id: 'b' })
  const rows = await tables.rows(manager, table.id)
  expect(rows.map(({ values, version }) => [values, version])).toEqual([
    [{ order_id: 'a', amount: 2 }, 2],
    [{ order_id: 'b' }, 1],
  ])
})

it('creates a row with each call without an identity, and once for a repeated key', async () => {
  const command = await tables.createCommand(manager, table, { effect_identity: null })
  await execute(command, { order_id: 'a' }, { key: 'k' })
  await execute(command, { order_id: 'a' }, { key: 'k' })
  await execute(command, { order_id: 'a' })
  expect(await tables.rows(manager, table.id)).toHaveLength(2)
})

it('creates the row of an identity again after somebody deleted it', async () => {
  const open = await tables.create(manager, tenant.departmentId)
  const command = await tables.createCommand(manager, open)
  const { body } = await execute(command, { order_id: 'a' })
  await tables.must(tableRowRoutes.deleteRow, manager, { params: { id: open.id, rid: String(body.row_id) } })
  const again = await execute(command, { order_id: 'a' })
  expect(again.body.row_id).not.toBe(body.row_id)
})

it('refuses inputs that do not match, and writes nothing', async () => {
  const command = await tables.createCommand(manager, table)
  for (const inputs of [{ amount: 1 }, { order_id: 'a', paid: true }, { order_id: 1 }])
    expect((await execute(command, inputs)).status).toBe(422)
  expect(await tables.rows(manager, table.id)).toEqual([])
})

it('is hidden from rooms that it is not granted to', async () => {
  const { departmentId, companyId, roomId, companyManager } = tenant
  const command = await tables.createCommand(manager, table, {
    granted_scope: 'chatroom',
    granted_id: roomId,
  })
  const other = await makeRoom(db, { companyId, departmentId })
  const answer = await execute(command, { order_id: 'a' }, { as: companyManager, room: other })
  expect(codeOf(answer)).toEqual([404, 'not_found'])
  expect(codeOf(await execute(command, { order_id: 'a' }, { as: tenant.stranger }))).toEqual([
    404,
    'not_found',
  ])
  const listed = async (room: string) =>
    (
      await tables.must<TableCommandList>(tableCommandRoutes.listRoomCommands, companyManager, {
        params: { cid: room },
      })
    ).items.length
  expect([await listed(roomId), await listed(other)]).toEqual([1, 0])
})

it('with the authority of callers asks whether they may write rows', async () => {
  const command = await tables.createCommand(manager, table, { authority: 'caller' })
  expect(codeOf(await execute(command, { order_id: 'a' }))).toEqual([403, 'custom_table_command_denied'])
  expect((await execute(command, { order_id: 'a' }, { as: manager })).status).toBe(200)
})

it('finds a row by its values in read mode', async () => {
  const write = await tables.createCommand(manager, table)
  const read = await tables.createCommand(manager, table, { mode: 'read', effect_identity: null })
  await execute(write, { order_id: 'a', amount: 4 })
  const found = await execute(read, { order_id: 'a' })
  expect(found.body.row?.values).toEqual({ order_id: 'a', amount: 4 })
  const none = await execute(read, { order_id: 'b' })
  expect(none.body).not.toHaveProperty('row_id')
})

it('keeps rows of rooms apart in a table with a channel rule', async () => {
  const { departmentId, companyId, roomId, companyManager } = tenant
  const channel = await tables.create(manager, departmentId, { channel_rule: true })
  const command = await tables.createCommand(manager, channel)
  const other = await makeRoom(db, { companyId, departmentId })
  await execute(command, { order_id: 'a', amount: 1 })
  await execute(command, { order_id: 'a', amount: 2 }, { as: companyManager, room: other })
  const rows = await tables.rows(manager, channel.id)
  expect(rows.map((row) => [row.chatroom_id, row.values.amount])).toEqual([
    [roomId, 1],
    [other, 2],
  ])
})

it('refuses definitions that do not fit the table', async () => {
  const granted = { granted_scope: 'company', granted_id: table.company_id }
  for (const body of [
    { name: 'x', inputs: [{ name: 'other', type: 'text' }], ...granted },
    { name: 'x', inputs: [{ name: 'amount', type: 'text' }], ...granted },
    { name: 'x', inputs: orderFields, effect_identity: ['amount'], ...granted },
    { name: 'x', inputs: orderFields, mode: 'read', effect_identity: ['order_id'], ...granted },
    { name: 'x', inputs: orderFields, granted_scope: 'chatroom', granted_id: 'roo_none' },
  ]) {
    const params = { id: table.id }
    expect((await tables.call(tableCommandRoutes.createTableCommand, manager, { params, body })).status).toBe(
      422,
    )
  }
})

it('knows a field by its own name alone, whatever properties every object has', async () => {
  const fields = [
    { name: 'constructor', type: 'integer', required: true },
    { name: 'order_id', type: 'text' },
  ]
  const odd = await tables.create(manager, tenant.departmentId, { fields })
  const create = (values: Record<string, unknown>) =>
    tables.call(tableRowRoutes.createRow, manager, { params: { id: odd.id }, body: { values } })
  expect((await create({ order_id: 'a' })).status).toBe(422)
  expect((await create({ constructor: 1 })).status).toBe(200)
  const writes = await tables.createCommand(manager, odd, {
    inputs: fields,
    effect_identity: ['constructor'],
  })
  expect((await execute(writes, { order_id: 'a' })).status).toBe(422)
  const reads = await tables.createCommand(manager, odd, {
    inputs: [{ name: 'constructor', type: 'integer' }],
    mode: 'read',
    effect_identity: null,
  })
  expect((await execute(reads, {})).body.row?.values).toEqual({ constructor: 1 })
})

it('changes with a new revision, and ends with its archive or that of its table', async () => {
  const command = await tables.createCommand(manager, table)
  const params = { id: command.id }
  const changed = await tables.call<TableCommand>(tableCommandRoutes.updateTableCommand, manager, {
    params,
    body: { inputs: orderFields },
  })
  expect(changed.body).toMatchObject({ revision: 2, name: 'set amount', effect_identity: ['order_id'] })
  const empty = await tables.call(tableCommandRoutes.updateTableCommand, manager, { params, body: {} })
  expect(codeOf(empty)).toEqual([422, 'no_fields'])
  await tables.must(tableCommandRoutes.archiveTableCommand, manager, { params })
  expect(codeOf(await execute(command, { order_id: 'a' }))).toEqual([409, 'custom_table_archived'])
  const other = await tables.createCommand(manager, table)
  await tables.must(tableRoutes.archiveTable, manager, { params: { id: table.id } })
  expect(codeOf(await execute(other, { order_id: 'a' }))).toEqual([409, 'custom_table_archived'])
})
