import { tablesOfCompanyMax } from '@sandbox-jobs/contract/limits.ts'
import type { CustomTable, CustomTableList } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { sql } from 'kysely'
import { beforeEach, expect, it } from 'vitest'
import { orderFields, TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeDepartment, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { newId } from '../../../base/ids.ts'
import { setOperatorPolicy } from '../../../companies/settings/operator-policy.ts'
import { readStorageUsage } from '../../../companies/storage/kept-bytes-store.ts'
import { definitionBytes } from '../../../companies/storage/storage-quota.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
let tenant: Tenant

beforeEach(async () => {
  tenant = await makeTenant(db)
})

const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { detail: { code?: string } }).detail.code,
]

it('creates a table for an owner that the caller manages, and for no other', async () => {
  const { departmentManager, departmentId, companyId, roomManager } = tenant
  const table = await tables.create(departmentManager, departmentId, { commands_only: true })
  expect(table).toMatchObject({
    company_id: companyId,
    owner_scope: 'department',
    owner_id: departmentId,
    fields: orderFields.map((field) => ({ required: false, ...field })),
    commands_only: true,
    channel_rule: false,
    row_count: 0,
    state: 'active',
  })
  const other = await makeDepartment(db, companyId)
  const refused = [
    [departmentManager, { owner_scope: 'company', owner_id: companyId }],
    [departmentManager, { owner_scope: 'department', owner_id: other }],
    [roomManager, { owner_scope: 'department', owner_id: departmentId }],
    [tenant.companyManager, { owner_scope: 'department', owner_id: 'dep_none' }],
  ] as const
  for (const [principal, owner] of refused) {
    const body = { name: 'x', fields: orderFields, ...owner }
    const answer = await tables.call(tableRoutes.createTable, principal, { body })
    expect(codeOf(answer)).toEqual([403, 'owner_scope_forbidden'])
  }
})

it('refuses fields with taken names and unknown types', async () => {
  const { departmentManager, departmentId } = tenant
  for (const field of [
    { name: 'id', type: 'text' },
    { name: 'order_id', type: 'text' },
    { name: 'Upper', type: 'text' },
    { name: 'a', type: 'money' },
  ]) {
    const body = {
      name: 'x',
      fields: [...orderFields, field],
      owner_scope: 'department',
      owner_id: departmentId,
    }
    expect((await tables.call(tableRoutes.createTable, departmentManager, { body })).status).toBe(422)
  }
})

it('lists the tables of departments that the caller manages, and hides the others', async () => {
  const { departmentManager, companyManager, member, companyId } = tenant
  const own = await tables.create(departmentManager, tenant.departmentId)
  const other = await tables.create(companyManager, await makeDepartment(db, companyId))
  const foreign = await makeTenant(db)
  const listed = async (principal: typeof member) => {
    const list = await tables.must<CustomTableList>(tableRoutes.listTables, principal)
    return list.items.map(({ id }) => id)
  }
  expect(await listed(departmentManager)).toEqual([own.id])
  expect(await listed(companyManager)).toEqual([own.id, other.id])
  expect(await listed(member)).toEqual([])
  for (const principal of [departmentManager, member, foreign.companyManager]) {
    const answer = await tables.call(tableRoutes.readTable, principal, { params: { id: other.id } })
    expect(codeOf(answer)).toEqual([404, 'not_found'])
  }
})

it('changes names and flags; the channel rule only while there are no rows', async () => {
  const { departmentManager: manager, departmentId } = tenant
  const { id } = await tables.create(manager, departmentId)
  const change = (body: Record<string, unknown>) =>
    tables.call<CustomTable>(tableRoutes.updateTable, manager, { params: { id }, body })
  expect((await change({ name: 'sales', channel_rule: true })).body).toMatchObject({
    name: 'sales',
    channel_rule: true,
  })
  expect(codeOf(await change({}))).toEqual([422, 'no_fields'])
  await change({ channel_rule: false })
  await tables.addRow(manager, id, { order_id: '1' })
  expect(codeOf(await change({ channel_rule: true }))).toEqual([409, 'custom_table_not_empty'])
  expect((await change({ commands_only: true, channel_rule: false })).body).toMatchObject({
    commands_only: true,
    row_count: 1,
  })
})

it('adds fields at the end, required ones only to an empty table', async () => {
  const { departmentManager: manager, departmentId } = tenant
  const { id } = await tables.create(manager, departmentId)
  const add = (field: Record<string, unknown>) =>
    tables.call<CustomTable>(tableRoutes.addTableFields, manager, {
      params: { id },
      body: { fields: [field] },
    })
  expect((await add({ name: 'due', type: 'datetime', required: true })).body.fields.at(-1)).toEqual({
    name: 'due',
    type: 'datetime',
    required: true,
  })
  await tables.addRow(manager, id, { order_id: '1', due: '2026-11-24T10:00:00+01:00' })
  expect(codeOf(await add({ name: 'more', type: 'json', required: true }))).toEqual([
    409,
    'custom_table_not_empty',
  ])
  expect((await add({ name: 'more', type: 'json' })).status).toBe(200)
  expect((await add({ name: 'more', type: 'json' })).status).toBe(422)
})

it('archives a table: nothing changes it then, and it leaves the list', async () => {
  const { departmentManager: manager, departmentId } = tenant
  const { id } = await tables.create(manager, departmentId)
  const archive = () => tables.call<CustomTable>(tableRoutes.archiveTable, manager, { params: { id } })
  expect((await archive()).body.state).toBe('archived')
  expect(codeOf(await archive())).toEqual([409, 'custom_table_archived'])
  const renamed = await tables.call(tableRoutes.updateTable, manager, { params: { id }, body: { name: 'x' } })
  expect(codeOf(renamed)).toEqual([409, 'custom_table_archived'])
  const listed = async (lifecycle: string) =>
    (await tables.must<CustomTableList>(tableRoutes.listTables, manager, { query: { lifecycle } })).items
      .length
  expect([await listed('active'), await listed('retired'), await listed('all')]).toEqual([0, 1, 1])
})

it('bounds the tables of a company', async () => {
  const { departmentManager: manager, departmentId, companyId } = tenant
  const field = JSON.stringify([{ name: 'a', type: 'text', required: false }])
  const rows = Array.from({ length: tablesOfCompanyMax }, () => ({
    id: newId('customTable'),
    company_id: companyId,
    owner_scope: 'department' as const,
    owner_id: departmentId,
    name: 'x',
    description: '',
    fields: field,
    commands_only: false,
    channel_rule: false,
    created_by: 'test',
    archived_at: null,
  }))
  await db.insertInto('custom_tables').values(rows).execute()
  const body = { name: 'x', fields: orderFields, owner_scope: 'department', owner_id: departmentId }
  const answer = await tables.call(tableRoutes.createTable, manager, { body })
  expect(codeOf(answer)).toEqual([409, 'custom_table_limit_reached'])
})

it('counts what is declared to the bytes of the company, also when it is archived', async () => {
  const { departmentManager: manager, departmentId, companyId } = tenant
  const [archived, table] = [
    await tables.create(manager, departmentId),
    await tables.create(manager, departmentId),
  ]
  await tables.createCommand(manager, archived)
  await tables.must(tableRoutes.archiveTable, manager, { params: { id: archived.id } })
  const { rows } = await sql<{ counted: number; source: number }>`
    select (select sum(bytes)::bigint from kept_byte_changes
        where company_id = ${companyId} and kind = 'table_definitions') as counted,
      (select sum(bytes)::bigint from kept_sources
        where company_id = ${companyId} and kind = 'table_definitions') as source`.execute(db)
  expect(rows).toEqual([{ counted: 3 * definitionBytes.table, source: 3 * definitionBytes.table }])
  const { keptBytes } = await readStorageUsage(db, companyId)
  await setOperatorPolicy({ db, deployment: 'onprem' }, companyId, {
    kept_bytes_limit: keptBytes + definitionBytes.table,
  })
  const command = await tables.createCommand(manager, table)
  expect(command.state).toBe('active')
  const owner = { owner_scope: 'department', owner_id: departmentId }
  const more = [
    await tables.call(tableRoutes.createTable, manager, {
      body: { name: 'x', fields: orderFields, ...owner },
    }),
    await tables.call(tableCommandRoutes.createTableCommand, manager, {
      params: { id: table.id },
      body: { name: 'x', inputs: orderFields, granted_scope: 'company', granted_id: companyId },
    }),
  ]
  for (const answer of more) expect(codeOf(answer)).toEqual([409, 'storage_quota_exceeded'])
})
