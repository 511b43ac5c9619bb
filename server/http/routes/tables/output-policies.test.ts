import { chmodSync, rmSync } from 'node:fs'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { TaskVersion } from '@sandbox-jobs/contract/resources/tasks/task-version.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { beforeEach, describe, expect, it } from 'vitest'
import { orderFields, TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeEnvironmentVersion } from '../../../../testing/factories/environment-version.ts'
import { withSandboxKey } from '../../../../testing/factories/platform.ts'
import {
  addMember,
  makeDepartment,
  makeRoom,
  makeTenant,
  makeUser,
  type Tenant,
} from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import { CallbackKey, callbackKeyPath } from '../../../custom-tables/policies/callback-key.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
const keyPath = callbackKeyPath(api.dataDir)
let tenant: Tenant
let manager: Principal
let table: CustomTable
let command: TableCommand
let taskId: string
let environmentVersionId: string

beforeEach(async () => {
  new CallbackKey(keyPath, api.context.log).prepare()
  tenant = await makeTenant(db)
  manager = tenant.departmentManager
  const { companyId, departmentId, roomId } = tenant
  environmentVersionId = (await makeEnvironmentVersion(db, { companyId })).id
  taskId = (await api.tasks.create(manager, { scope: 'department', id: departmentId })).id
  table = await tables.create(manager, departmentId)
  command = await tables.createCommand(manager, table)
  await api.tasks.share(manager, { taskId, kind: 'chatroom', id: roomId })
})

const writeback = (traits: Record<string, unknown> = {}) => ({
  kind: 'custom_table_writeback',
  table_id: table.id,
  ...traits,
})
const byCommand = (traits: Record<string, unknown> = {}) => ({
  kind: 'custom_table_command',
  command_id: command.id,
  chatroom_id: tenant.roomId,
  input_schema: orderFields.slice(0, 2),
  ...traits,
})

const codeOf = ({ status, body }: { status: number; body: unknown }) =>
  status === 200 ? 200 : [status, (body as { detail: { code?: string } }).detail.code]

const draft = (output_policy: unknown, { task = taskId, as = manager } = {}) =>
  api.call<TaskVersion>(taskRoutes.createTaskVersion, as, {
    params: { id: task },
    body: { environment_version_id: environmentVersionId, output_policy },
  })
const publish = (vid: string, { task = taskId, as = manager } = {}) =>
  api.call<TaskVersion>(taskRoutes.publishTaskVersion, as, { params: { id: task, vid } })
async function published(output_policy: unknown): Promise<string> {
  const { body } = await draft(output_policy)
  expect(codeOf(await publish(body.id))).toBe(200)
  return body.id
}
let intents = 0
const submit = (task_version_id: string, { as = tenant.member, room = tenant.roomId } = {}) => {
  intents += 1
  return api.call(runRoutes.submitRun, as, {
    params: { cid: room },
    body: { task_version_id, input: {} },
    headers: { 'idempotency-key': `submit-${intents}` },
  })
}
const queued = async () =>
  (await db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId).execute()).length

const updateTable = (body: Record<string, unknown>) =>
  tables.must(tableRoutes.updateTable, manager, { params: { id: table.id }, body })
const archiveTable = () => tables.must(tableRoutes.archiveTable, manager, { params: { id: table.id } })
const updateCommand = (body: Record<string, unknown>) =>
  tables.must(tableCommandRoutes.updateTableCommand, manager, { params: { id: command.id }, body })
const archiveCommand = () =>
  tables.must(tableCommandRoutes.archiveTableCommand, manager, { params: { id: command.id } })
const demote = (role = 1) =>
  db.updateTable('users').set({ role }).where('id', '=', manager.principalId).execute()

it('is part of the digest, and hidden from borrowers', async () => {
  const [first, second] = [await draft(writeback()), await draft(null)]
  expect(first.body.canonical_digest).not.toBe(second.body.canonical_digest)
  expect(first.body.output_policy).toEqual(writeback())
  const vid = await published(writeback())
  const seen = await api.call<TaskVersion>(taskRoutes.readTaskVersion, tenant.member, {
    params: { id: taskId, vid },
  })
  expect(seen.body.output_policy).toBeNull()
})

describe('a draft', () => {
  it.each([
    ['a table that is not there', () => writeback({ table_id: 'tbl_none' }), 'output_policy_table_not_found'],
    ['a command that is not there', () => byCommand({ command_id: 'x' }), 'output_policy_command_not_found'],
    ['other inputs', () => byCommand({ input_schema: orderFields }), 'output_policy_schema_mismatch'],
    ['a room that is not there', () => byCommand({ chatroom_id: 'roo_none' }), 'output_policy_invalid'],
  ])('is refused with %s', async (_name, policy, code) => {
    expect(codeOf(await draft(policy()))).toEqual([422, code])
  })

  it('is refused with a table of another company, as if it were not there', async () => {
    const foreign = await makeTenant(db)
    const other = await tables.create(foreign.departmentManager, foreign.departmentId)
    expect(codeOf(await draft(writeback({ table_id: other.id })))).toEqual([
      422,
      'output_policy_table_not_found',
    ])
  })

  it.each([
    ['archived', archiveTable, 'output_policy_table_not_found'],
    ['governed', () => updateTable({ commands_only: true }), 'output_policy_governed_table'],
    ['one with a channel rule', () => updateTable({ channel_rule: true }), 'output_policy_channel_table'],
  ])('is refused where the table is %s', async (_name, change, code) => {
    await change()
    expect(codeOf(await draft(writeback()))).toEqual([422, code])
  })

  it('is refused with a command that reads', async () => {
    command = await tables.createCommand(manager, table, { mode: 'read', effect_identity: null })
    expect(codeOf(await draft(byCommand()))).toEqual([422, 'output_policy_schema_mismatch'])
  })

  it('is checked again when its policy changes', async () => {
    const { body } = await draft(null)
    const change = (output_policy: unknown) =>
      api.call<TaskVersion>(taskRoutes.updateTaskVersion, manager, {
        params: { id: taskId, vid: body.id },
        body: { output_policy },
      })
    expect(codeOf(await change(writeback({ table_id: 'x' })))).toEqual([422, 'output_policy_table_not_found'])
    expect((await change(writeback())).body.output_policy).toEqual(writeback())
    expect((await change(null)).body.output_policy).toBeNull()
  })
})

describe('publishing', () => {
  it.each([
    ['the table is gone', writeback, archiveTable],
    ['the table is governed', writeback, () => updateTable({ commands_only: true })],
    ['the table has a channel rule', writeback, () => updateTable({ channel_rule: true })],
    ['the command is gone', byCommand, archiveCommand],
    ['the command has other inputs', byCommand, () => updateCommand({ inputs: orderFields })],
    ['the command acts for its callers', byCommand, () => updateCommand({ authority: 'caller' })],
    ['the command has no identity', byCommand, () => updateCommand({ effect_identity: null })],
  ])('is refused where %s', async (_name, policy, change) => {
    const { body } = await draft(policy())
    await change()
    expect(codeOf(await publish(body.id))).toEqual([409, 'output_policy_unsatisfiable'])
  })

  it.each([
    ['a table', writeback],
    ['a command', byCommand],
  ])('a task of the company is refused with %s', async (_name, policy) => {
    const as = tenant.companyManager
    const { id: task } = await api.tasks.create(as, { scope: 'company', id: tenant.companyId })
    const { body } = await draft(policy(), { task, as })
    expect(codeOf(await publish(body.id, { task, as }))).toEqual([
      409,
      'output_policy_owner_scope_unsupported',
    ])
  })

  it('is refused for who may not write the table', async () => {
    const { companyManager, companyId } = tenant
    const other = await tables.create(companyManager, await makeDepartment(db, companyId))
    const { body } = await draft(writeback({ table_id: other.id }))
    expect(codeOf(await publish(body.id))).toEqual([403, 'output_policy_author_denied'])
    expect(codeOf(await publish(body.id, { as: companyManager }))).toBe(200)
  })

  it('is refused where the room of a command is not granted, or its author has gone', async () => {
    const other = await makeRoom(db, tenant)
    await updateCommand({ granted_scope: 'chatroom', granted_id: other })
    const { body } = await draft(byCommand())
    expect(codeOf(await publish(body.id))).toEqual([403, 'output_policy_author_denied'])
    await updateCommand({ granted_scope: 'chatroom', granted_id: tenant.roomId })
    await db
      .updateTable('users')
      .set({ disabled_at: new Date() })
      .where('id', '=', manager.principalId)
      .execute()
    const as = tenant.companyManager
    expect(codeOf(await publish(body.id, { as }))).toEqual([403, 'output_policy_author_denied'])
  })

  it('is refused with a form of an older release', async () => {
    const { body } = await draft(writeback())
    await db
      .updateTable('task_versions')
      .set({ output_policy: JSON.stringify({ kind: 'other' }) })
      .where('id', '=', body.id)
      .execute()
    expect(codeOf(await publish(body.id))).toEqual([422, 'output_policy_invalid'])
  })
})

describe('submitting a run that writes to a table', () => {
  it('is open to who borrows the task', async () => {
    expect(codeOf(await submit(await published(writeback())))).toBe(200)
  })

  it.each([
    ['is gone', archiveTable],
    ['is governed', () => updateTable({ commands_only: true })],
    ['has a channel rule', () => updateTable({ channel_rule: true })],
  ])('is refused where the table %s', async (_name, change) => {
    const version = await published(writeback())
    await change()
    expect(codeOf(await submit(version))).toEqual([409, 'output_policy_unsatisfiable'])
    expect(await queued()).toBe(0)
  })

  it('is refused once the publisher may not write the table', async () => {
    const version = await published(writeback())
    await demote()
    expect(codeOf(await submit(version))).toEqual([403, 'writeback_authority_denied'])
    expect(await queued()).toBe(0)
  })

  it.each([
    ['is missing', () => rmSync(keyPath)],
    ['is readable for others', () => chmodSync(keyPath, 0o644)],
  ])('is refused where the key %s', async (_name, damage) => {
    const version = await published(writeback())
    damage()
    expect(codeOf(await submit(version))).toEqual([503, 'sandbox_writeback_key_unavailable'])
    rmSync(keyPath, { force: true })
    expect(await queued()).toBe(0)
  })
})

describe('submitting a run that calls a command', () => {
  it('is open to people of its room', async () => {
    expect(codeOf(await submit(await published(byCommand())))).toBe(200)
  })

  it.each([
    ['gone', archiveCommand, [422, 'output_policy_command_not_found']],
    [
      'another one by its inputs',
      () => updateCommand({ inputs: orderFields }),
      [422, 'output_policy_schema_mismatch'],
    ],
    [
      'one for its callers',
      () => updateCommand({ authority: 'caller' }),
      [403, 'output_policy_author_denied'],
    ],
    [
      'without an identity',
      () => updateCommand({ effect_identity: null }),
      [403, 'output_policy_author_denied'],
    ],
  ])('is refused where the command is %s', async (_name, change, refusal) => {
    const version = await published(byCommand())
    await change()
    expect(codeOf(await submit(version))).toEqual(refusal)
    expect(await queued()).toBe(0)
  })

  it('is refused in another room, with a key for jobs alone, and once its publisher has gone', async () => {
    const version = await published(byCommand())
    const other = await makeRoom(db, tenant)
    await api.tasks.share(manager, { taskId, kind: 'chatroom', id: other })
    const { companyId, member } = tenant
    await addMember(db, { companyId, roomId: other, userId: member.principalId })
    expect(codeOf(await submit(version, { room: other }))).toEqual([403, 'output_policy_author_denied'])
    const as = withSandboxKey(tenant.member, [tenant.roomId])
    expect(codeOf(await submit(version, { as }))).toEqual([403, 'output_policy_author_denied'])
    await demote()
    expect(codeOf(await submit(version))).toEqual([403, 'output_policy_author_denied'])
    expect(await queued()).toBe(0)
  })
})

it('another department may use the table only where its people may write it', async () => {
  const department = await makeDepartment(db, tenant.companyId)
  const as = await makeUser(db, { ...tenant, role: 2, managedDepartmentIds: [department] })
  const { id: task } = await api.tasks.create(as, { scope: 'department', id: department })
  const { body } = await draft(writeback(), { task, as })
  expect(codeOf(await publish(body.id, { task, as }))).toEqual([403, 'output_policy_author_denied'])
})
