import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type {
  TableTrigger,
  TableTriggerList,
  TriggerEventList,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { tableRowRoutes } from '@sandbox-jobs/contract/routes/table-row-routes.ts'
import { tableTriggerRoutes } from '@sandbox-jobs/contract/routes/table-trigger-routes.ts'
import { beforeEach, expect, it } from 'vitest'
import { TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
let tenant: Tenant
let manager: Principal
let table: CustomTable
let task: RunnableTask

beforeEach(async () => {
  tenant = await makeTenant(db)
  manager = tenant.departmentManager
  table = await tables.create(manager, tenant.departmentId)
  task = await makeRunnableTask(db, tenant.companyId)
})

const declare = (traits: Record<string, unknown> = {}, as: Principal = manager) =>
  tables.call<TableTrigger>(tableTriggerRoutes.createTableTrigger, as, {
    params: { id: table.id },
    body: {
      name: 'invoice',
      events: ['create'],
      chatroom_id: tenant.roomId,
      task_version_id: task.versionId,
      ...traits,
    },
  })
const declared = async (traits?: Record<string, unknown>) => (await declare(traits)).body
const update = (id: string, body: Record<string, unknown>, as: Principal = manager) =>
  tables.call<TableTrigger>(tableTriggerRoutes.updateTableTrigger, as, { params: { id }, body })
const eventsOf = async (id: string, query: Record<string, string> = {}) =>
  (
    await tables.must<TriggerEventList>(tableTriggerRoutes.listTriggerEvents, manager, {
      params: { id },
      query,
    })
  ).items
const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { detail: { code?: string } }).detail.code,
]
const problemOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { detail: { loc: string[] }[] }).detail[0]?.loc.at(-1),
]

it('is declared with the authority of the caller, listed and read', async () => {
  const trigger = await declared({ timeout_seconds: 60 })
  expect(trigger).toEqual({
    id: expect.stringMatching(/^trg_/),
    company_id: tenant.companyId,
    table_id: table.id,
    name: 'invoice',
    description: '',
    events: ['create'],
    chatroom_id: tenant.roomId,
    task_version_id: task.versionId,
    input_template: expect.objectContaining({ values: '{{values}}' }),
    timeout_seconds: 60,
    run_as: manager.principalId,
    state: 'active',
    last_error_code: null,
    last_refused_at: null,
    created_at: expect.any(String),
  })
  const list = await tables.must<TableTriggerList>(tableTriggerRoutes.listTableTriggers, manager, {
    params: { id: table.id },
  })
  expect(list.items).toEqual([trigger])
  const { body } = await tables.call(tableTriggerRoutes.readTableTrigger, manager, {
    params: { id: trigger.id },
  })
  expect(body).toEqual(trigger)
})

it('has the authority of whoever changes it', async () => {
  const trigger = await declared()
  const { body } = await update(
    trigger.id,
    { input_template: null, timeout_seconds: null },
    tenant.companyManager,
  )
  expect(body).toMatchObject({
    run_as: tenant.companyManager.principalId,
    input_template: null,
    name: 'invoice',
  })
  expect(codeOf(await update(trigger.id, {}))).toEqual([422, 'no_fields'])
})

it('keeps both of two changes at once', async () => {
  const { id } = await declared()
  const elsewhere = await makeRoom(db, tenant)
  const changes = { name: 'renamed', description: 'changed', timeout_seconds: 9, chatroom_id: elsewhere }
  await Promise.all(Object.entries(changes).map(([field, value]) => update(id, { [field]: value })))
  expect(
    (await tables.call(tableTriggerRoutes.readTableTrigger, manager, { params: { id } })).body,
  ).toMatchObject(changes)
})

it('is hidden from people who do not manage the table', async () => {
  const trigger = await declared()
  for (const person of [tenant.member, tenant.roomManager, tenant.stranger]) {
    expect(codeOf(await declare({}, person))).toEqual([404, 'not_found'])
    expect(codeOf(await update(trigger.id, { name: 'x' }, person))).toEqual([404, 'not_found'])
  }
})

it('refuses what its declarer may not run', async () => {
  const other = await makeTenant(db)
  const foreign = await makeRunnableTask(db, other.companyId)
  const elsewhere = await makeRoom(db, { companyId: other.companyId, departmentId: other.departmentId })
  for (const traits of [
    { task_version_id: foreign.versionId },
    { task_version_id: 'tvr_none' },
    { chatroom_id: elsewhere },
    { chatroom_id: 'roo_none' },
  ])
    expect(problemOf(await declare(traits))).toEqual([422, 'task_version_id'])
})

it('refuses a version that requires a confirmation, also later', async () => {
  const confirmed = await makeRunnableTask(db, tenant.companyId, { requires_confirmation: true })
  const refusal = [409, 'custom_table_trigger_needs_confirmation']
  const traits = { task_version_id: confirmed.versionId }
  expect(codeOf(await declare(traits))).toEqual(refusal)
  expect(codeOf(await update((await declared()).id, traits))).toEqual(refusal)
})

it('refuses a version whose output is a command, which nobody asks for', async () => {
  const command = await tables.createCommand(manager, table)
  const output_policy = {
    kind: 'custom_table_command',
    command_id: command.id,
    chatroom_id: tenant.roomId,
    input_schema: command.inputs,
  }
  const sending = await makeRunnableTask(db, tenant.companyId, {
    output_policy: JSON.stringify(output_policy),
  })
  api.context.outputs.key.prepare()
  expect(codeOf(await declare({ task_version_id: sending.versionId }))).toEqual([
    403,
    'output_policy_author_denied',
  ])
})

it('refuses placeholders that name no field', async () => {
  expect(problemOf(await declare({ input_template: '{{values.missing}}' }))).toEqual([422, 'input_template'])
})

it('is one of at most ten of a table', async () => {
  for (let number = 0; number < 10; number += 1) expect((await declare()).status).toBe(200)
  expect(codeOf(await declare())).toEqual([409, 'custom_table_limit_reached'])
})

it('records an event for each change that it is declared for', async () => {
  const [onCreate, onBoth] = [await declared(), await declared({ events: ['create', 'update'] })]
  const row = await tables.addRow(manager, table.id, { order_id: 'a' })
  await tables.must(tableRowRoutes.updateRow, manager, {
    params: { id: table.id, rid: row.id },
    body: { values: { amount: 1 } },
  })
  // It changes nothing.
  await tables.must(tableRowRoutes.updateRow, manager, {
    params: { id: table.id, rid: row.id },
    body: { values: { amount: 1 } },
  })
  expect(await eventsOf(onCreate.id)).toEqual([
    {
      id: expect.stringMatching(/^tev_/),
      trigger_id: onCreate.id,
      event: 'create',
      row_id: row.id,
      row_version: 1,
      chain: 1,
      status: 'waiting',
      run_id: null,
      error_code: null,
      created_at: expect.any(String),
      handled_at: null,
    },
  ])
  const both = await eventsOf(onBoth.id, { status: 'waiting' })
  expect(both.map(({ event, row_version }) => [event, row_version])).toEqual([
    ['update', 2],
    ['create', 1],
  ])
  expect(await eventsOf(onBoth.id, { status: 'refused' })).toEqual([])
})

it('records no event of a change that is refused or repeated', async () => {
  const trigger = await declared()
  const call = { params: { id: table.id }, headers: { 'idempotency-key': 'one' } }
  const refused = await tables.call(tableRowRoutes.createRow, manager, {
    ...call,
    body: { values: { amount: 1 } },
  })
  expect(refused.status).toBe(422)
  for (let time = 0; time < 2; time += 1)
    await tables.must(tableRowRoutes.createRow, manager, { ...call, body: { values: { order_id: 'a' } } })
  expect(await eventsOf(trigger.id)).toHaveLength(1)
})

it('records nothing once it is archived, and cannot be changed', async () => {
  const trigger = await declared()
  const params = { id: trigger.id }
  const archived = await tables.must<TableTrigger>(tableTriggerRoutes.archiveTableTrigger, manager, {
    params,
  })
  expect(archived.state).toBe('archived')
  await tables.addRow(manager, table.id, { order_id: 'a' })
  expect(await eventsOf(trigger.id)).toEqual([])
  expect(codeOf(await update(trigger.id, { name: 'x' }))).toEqual([409, 'custom_table_archived'])
  await tables.must(tableRoutes.archiveTable, manager, { params: { id: table.id } })
  expect(codeOf(await declare())).toEqual([409, 'custom_table_archived'])
})

it('pages through its events', async () => {
  const trigger = await declared()
  for (const order_id of ['a', 'b', 'c']) await tables.addRow(manager, table.id, { order_id })
  const page = (query: Record<string, string>) =>
    tables.must<TriggerEventList>(tableTriggerRoutes.listTriggerEvents, manager, {
      params: { id: trigger.id },
      query,
    })
  const first = await page({ page_size: '2' })
  const second = await page({ page_size: '2', page_token: String(first.next_page_token) })
  expect([first.items.length, second.items.length, second.next_page_token]).toEqual([2, 1, null])
})

it('is refused where the quota of the company is used up', async () => {
  await setOperatorPolicy({ db, deployment: 'onprem' }, tenant.companyId, { kept_bytes_limit: 1 })
  expect(codeOf(await declare())).toEqual([409, 'storage_quota_exceeded'])
})
