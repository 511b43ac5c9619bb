import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { outputEffectsOfRunMax } from '@sandbox-jobs/contract/limits.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { WritebackResult } from '@sandbox-jobs/contract/resources/tables/output-callback.ts'
import type { CommandExecution, TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import { outputCallbackRoutes } from '@sandbox-jobs/contract/routes/output-callback-routes.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import { tableCommandRoutes } from '@sandbox-jobs/contract/routes/table-command-routes.ts'
import { tableRoutes } from '@sandbox-jobs/contract/routes/table-routes.ts'
import { taskRoutes } from '@sandbox-jobs/contract/routes/task-routes.ts'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { CallbackRuns } from '../../../../testing/apps/callback-runs.ts'
import { orderFields, TableSteps } from '../../../../testing/apps/steps/table-steps.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { makeRoom, makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import type { Principal } from '../../../access/principal.ts'
import {
  type CallbackAccess,
  CallbackCredentials,
  sweepCallbacks,
} from '../../../custom-tables/callbacks/callback-credentials.ts'
import { defaultSchedulerBounds, RequestScheduler } from '../../../fairness/request-scheduler.ts'
import { createApp } from '../../app.ts'
import { mounter } from '../../mount.ts'
import { mountOutputCallbacks } from './output-callbacks.ts'

const { db } = await createTestDatabase()
const api = new TestApi(db)
const tables = new TableSteps(api)
const callbackRuns = new CallbackRuns(db, api)
let tenant: Tenant
let manager: Principal
let table: CustomTable
let command: TableCommand
let taskId: string

beforeEach(async () => {
  tenant = await makeTenant(db)
  manager = tenant.departmentManager
  taskId = (await api.tasks.create(manager, { scope: 'department', id: tenant.departmentId })).id
  table = await tables.create(manager, tenant.departmentId)
  command = await tables.createCommand(manager, table)
  await api.tasks.share(manager, { taskId, kind: 'chatroom', id: tenant.roomId })
})

/** A run of the member that has started, with its credential. */
const start = (policy: Record<string, unknown>) => callbackRuns.start(tenant, { taskId, policy })
const claim = (id: string, fence: number) => callbackRuns.claim({ id, companyId: tenant.companyId, fence })
/** The run leaves the state in which it may call. */
const leave = (id: string, state: string) =>
  sql`update runs set state = ${state}, exit_code = case when ${state} = 'completed' then 0 end,
      worker = case when ${state} = 'queued' then null else worker end,
      terminal_at = case when ${state} in ('completed', 'cancelled') then now() end
    where id = ${id} and company_id = ${tenant.companyId}`.execute(db)
const mint = (id: string, fence: number, kind: string) =>
  callbackRuns.mint({ id, companyId: tenant.companyId, fence }, kind)

const writeback = (allowed_ops = 'create,update') =>
  start({ kind: 'custom_table_writeback', table_id: table.id, allowed_ops })
const commandRun = () =>
  start({
    kind: 'custom_table_command',
    command_id: command.id,
    chatroom_id: tenant.roomId,
    input_schema: orderFields.slice(0, 2),
  })

const call = <Body>(route: Route, { url, token }: CallbackAccess, body: unknown) =>
  api.call<Body>(route, null, {
    params: { token_id: url.split('/').at(-1) ?? '' },
    body,
    headers: { authorization: `Bearer ${token}` },
  })
const write = (access: CallbackAccess, body: Record<string, unknown>) =>
  call<WritebackResult>(outputCallbackRoutes.writeBack, access, body)
const send = (access: CallbackAccess, inputs: Record<string, unknown>) =>
  call<CommandExecution>(outputCallbackRoutes.sendCommandOutput, access, { inputs })
const create = (access: CallbackAccess, order_id: string, key?: string) =>
  write(access, {
    op: 'create',
    values: { order_id },
    ...(key !== undefined && { client_row_key: key }),
  })

const codeOf = ({ status, body }: { status: number; body: unknown }) =>
  status === 200 ? 200 : [status, (body as { detail: { code?: string } }).detail.code]
const rows = async () => (await tables.rows(manager, table.id)).map(({ values }) => values)

describe('writing back', () => {
  it('creates a row once for each name, however often it is repeated', async () => {
    const run = await writeback()
    const [first, again] = [await create(run, 'a', 'k1'), await create(run, 'a', 'k1')]
    expect(first.body).toEqual({
      op: 'create',
      row_id: expect.stringMatching(/^row_/),
      version: 1,
      status: 'applied',
      applied_at: expect.any(String),
    })
    expect(again.body).toEqual(first.body)
    expect(codeOf(await create(run, 'b', 'k1'))).toEqual([409, 'output_row_conflict'])
    await create(run, 'b', 'k2')
    expect(await rows()).toEqual([{ order_id: 'a' }, { order_id: 'b' }])
  })

  it('without a name creates the one row of the run, and refuses another one loudly', async () => {
    const run = await writeback()
    expect((await create(run, 'a')).body).toEqual((await create(run, 'a')).body)
    expect(codeOf(await create(run, 'b'))).toEqual([409, 'output_row_conflict'])
    expect(await rows()).toEqual([{ order_id: 'a' }])
  })

  it('creates one row for many equal calls at once', async () => {
    const run = await writeback()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(run, 'a', 'k')))
    expect(new Set(answers.map(({ body }) => body.row_id)).size).toBe(1)
    expect(await rows()).toHaveLength(1)
  })

  it('is bounded for one run, also when it is claimed again; a repeated call does not count', async () => {
    const run = await writeback()
    await db
      .updateTable('run_output_credentials')
      .set({ effects: outputEffectsOfRunMax - 1 })
      .where('run_id', '=', run.id)
      .where('company_id', '=', tenant.companyId)
      .execute()
    for (let time = 0; time < 3; time += 1) expect((await create(run, 'a', 'k1')).status).toBe(200)
    expect(codeOf(await create(run, 'b', 'k2'))).toEqual([409, 'output_effect_limit'])
    await claim(run.id, 2)
    const renewed = await mint(run.id, 2, 'custom_table_writeback')
    expect(codeOf(await create(renewed, 'b', 'k2'))).toEqual([409, 'output_effect_limit'])
    expect(await rows()).toEqual([{ order_id: 'a' }])
  })

  it('changes rows where the policy allows it', async () => {
    const row = await tables.addRow(manager, table.id, { order_id: 'a', amount: 1 })
    const run = await writeback()
    const update = { op: 'update', row_id: row.id, values: { amount: 2 } }
    expect((await write(run, update)).body).toMatchObject({ row_id: row.id, version: 2 })
    expect((await write(run, update)).body.version).toBe(2)
    expect(await rows()).toEqual([{ order_id: 'a', amount: 2 }])
    expect(codeOf(await write(run, { ...update, row_id: 'row_none' }))).toEqual([404, 'not_found'])
    const creating = await writeback('create')
    expect(codeOf(await write(creating, update))).toEqual([403, 'output_operation_denied'])
  })

  it.each([
    ['an unknown field', { other: 1 }],
    ['another type', { order_id: 1 }],
    ['a missing field', { amount: 1 }],
    ['too much', { order_id: 'x'.repeat(70_000) }],
  ])('refuses %s, and writes nothing', async (_name, values) => {
    const answer = await write(await writeback(), { op: 'create', values })
    expect(codeOf(answer)).toEqual([422, 'output_schema_violation'])
    expect(await rows()).toEqual([])
  })

  it.each([
    ['archived', {}],
    ['governed', { commands_only: true }],
    ['one with a channel rule', { channel_rule: true }],
  ])('ends when the table is %s', async (_name, change) => {
    const run = await writeback()
    const params = { id: table.id }
    if (Object.keys(change).length > 0)
      await tables.must(tableRoutes.updateTable, manager, { params, body: change })
    else await tables.must(tableRoutes.archiveTable, manager, { params })
    expect(codeOf(await create(run, 'a'))).toEqual([409, 'output_policy_unsatisfiable'])
  })

  it('ends when its publisher, its submitter or its share is gone', async () => {
    const run = await writeback()
    const user = (id: string, set: Record<string, unknown>) =>
      db.updateTable('users').set(set).where('id', '=', id).execute()
    await user(manager.principalId, { role: 1 })
    expect(codeOf(await create(run, 'a'))).toEqual([403, 'output_policy_author_denied'])
    await user(manager.principalId, { role: 2 })
    await user(tenant.member.principalId, { disabled_at: new Date() })
    expect(codeOf(await create(run, 'a'))).toEqual([403, 'output_policy_author_denied'])
    await user(tenant.member.principalId, { disabled_at: null })
    expect(codeOf(await create(run, 'a'))).toBe(200)
    const grants = await api.must<{ items: { id: string }[] }>(taskRoutes.listShares, manager, {
      params: { id: taskId },
    })
    await api.must(taskRoutes.revokeShare, manager, {
      params: { id: taskId, gid: String(grants.items[0]?.id) },
      body: { reason: 'over' },
    })
    expect(codeOf(await create(run, 'b', 'k'))).toEqual([403, 'output_policy_author_denied'])
  })
})

describe('a credential', () => {
  it('is refused with a wrong or missing secret, and with a name that is none', async () => {
    const run = await writeback()
    const unknown = [404, 'output_run_unavailable']
    expect(codeOf(await create({ ...run, token: 'x'.repeat(43) }, 'a'))).toEqual(unknown)
    expect(codeOf(await create({ ...run, url: `x/${randomUUID()}` }, 'a'))).toEqual(unknown)
    expect((await create({ ...run, token: '' }, 'a')).body).toEqual({
      detail: { code: 'output_run_unavailable', message: 'The run no longer accepts output.' },
    })
    expect(codeOf(await create({ ...run, token: '' }, 'a'))).toEqual(unknown)
    const malformed = await create({ ...run, url: 'x/y' }, 'a')
    expect([
      malformed.status,
      Array.isArray((malformed.body as unknown as { detail: unknown }).detail),
    ]).toEqual([422, true])
    expect(await rows()).toEqual([])
  })

  it.each([
    ['that is cut', 'application/json', '{"op":'],
    ['with an unknown field', 'application/json', '{"op":"create","values":{},"inputs":{},"unknown":1}'],
    ['of another type', 'text/plain', '{}'],
  ])('is looked at before a body %s', async (_name, type, payload) => {
    const runs = [
      [outputCallbackRoutes.writeBack, await writeback()],
      [outputCallbackRoutes.sendCommandOutput, await commandRun()],
    ] as const
    for (const [route, { url, token }] of runs) {
      const sent = async (secret: string) =>
        (
          await api.app.inject({
            method: 'POST',
            url: route.path.replace('{token_id}', url.split('/').at(-1) ?? ''),
            headers: { authorization: `Bearer ${secret}`, 'content-type': type },
            payload,
          })
        ).statusCode
      expect([await sent('x'.repeat(43)), await sent(token)]).toEqual([404, 422])
    }
  })

  it.each(['completed', 'cancelled', 'cancel_requested', 'queued'])(
    'is dead when the run is %s',
    async (state) => {
      const run = await writeback()
      await leave(run.id, state)
      expect(codeOf(await create(run, 'a'))).toEqual([409, 'output_run_unavailable'])
    },
  )

  it('continues when another worker takes the run and its sandbox over', async () => {
    const run = await writeback()
    await sql`update runs set fence = 2, worker = 'w2' where id = ${run.id} and company_id = ${tenant.companyId}`.execute(
      db,
    )
    expect((await create(run, 'a')).status).toBe(200)
  })

  it('is dead when it has expired, the version is archived, or the run was claimed again', async () => {
    const run = await writeback()
    await claim(run.id, 2)
    expect(codeOf(await create(run, 'a'))).toEqual([409, 'output_run_unavailable'])
    const renewed = await mint(run.id, 2, 'custom_table_writeback')
    expect(codeOf(await create(run, 'a'))).toEqual([404, 'output_run_unavailable'])
    expect(codeOf(await create(renewed, 'a'))).toBe(200)
    await db
      .updateTable('run_output_credentials')
      .set({ expires_at: new Date(Date.now() - 1000) })
      .where('run_id', '=', run.id)
      .execute()
    expect(codeOf(await create(renewed, 'a'))).toEqual([409, 'output_run_unavailable'])
    const other = await writeback()
    await api.must(taskRoutes.archiveTask, manager, { params: { id: taskId } })
    expect(codeOf(await create(other, 'a'))).toEqual([409, 'output_run_unavailable'])
  })

  it('works for its own callback alone', async () => {
    expect(codeOf(await send(await writeback(), { order_id: 'a' }))).toEqual([409, 'output_run_unavailable'])
    expect(codeOf(await create(await commandRun(), 'a'))).toEqual([409, 'output_run_unavailable'])
  })

  it('is stored as a hash, and removed a day after it ended', async () => {
    const run = await writeback()
    const { rows: stored } = await sql<{ text: string }>`
      select c::text as text from run_output_credentials c where run_id = ${run.id} and company_id = ${tenant.companyId}`.execute(
      db,
    )
    expect(stored[0]?.text).not.toContain(run.token)
    await db
      .updateTable('run_output_credentials')
      .set({ expires_at: new Date(Date.now() - 2 * 86_400_000) })
      .where('run_id', '=', run.id)
      .execute()
    expect((await sweepCallbacks({ db })).removed).toBeGreaterThan(0)
  })

  it('leaves effects, which are removed when no run can ask for them, faster than runs can add them', async () => {
    await sql`insert into run_output_effects (run_id, company_id, effect_key, request_hash, response, created_at)
      select 'run_long_ago', ${tenant.companyId}, 'k' || n, '', '{}', now() - interval '10 days'
      from generate_series(1, 30000) n`.execute(db)
    expect((await sweepCallbacks({ db })).removed).toBeGreaterThanOrEqual(30_000)
  })
})

it('has a turn of its company: calls of one company at work are bounded while another is active', async () => {
  const run = await writeback()
  // On a slow machine, too, both companies stay active and a request keeps its slot.
  const still = { burstMs: 60_000, heldMs: 60_000, activeMs: 60_000 }
  const scheduler = new RequestScheduler({ ...defaultSchedulerBounds, atWork: 4, ...still })
  scheduler.enter('another company', 0)
  const { log, outputs } = api.context
  const app = createApp(log)
  let atWork = 0
  let most = 0
  const findUser: typeof outputs.findUser = async (...user) => {
    atWork += 1
    most = Math.max(most, atWork)
    await pause(5)
    atWork -= 1
    return outputs.findUser(...user)
  }
  const authenticate = () => Promise.reject(new Error('nobody has credentials'))
  const credentials = new CallbackCredentials(db, outputs.key)
  const mount = mounter(app, { authenticate, isEnabled: () => true, scheduler })
  mountOutputCallbacks(mount, { ...outputs, findUser, credentials })
  const calls = Array.from({ length: 12 }, (_, at) =>
    app.inject({
      method: 'POST',
      url: outputCallbackRoutes.writeBack.path.replace('{token_id}', run.url.split('/').at(-1) ?? ''),
      headers: { authorization: `Bearer ${run.token}` },
      payload: { op: 'create', client_row_key: `k${at}`, values: { order_id: `${at}` } },
    }),
  )
  for (const { statusCode } of await Promise.all(calls)) expect(statusCode).toBe(200)
  expect(most).toBeLessThanOrEqual(2)
  await app.close()
})

describe('sending the inputs of a command', () => {
  it('takes effect once per run, and answers the same again', async () => {
    const run = await commandRun()
    const first = await send(run, { order_id: 'a', amount: 1 })
    expect(first.body).toEqual({
      command_id: command.id,
      row_id: expect.stringMatching(/^row_/),
      status: 'applied',
      applied_at: expect.any(String),
    })
    expect((await send(run, { order_id: 'a', amount: 1 })).body).toEqual(first.body)
    expect(codeOf(await send(run, { order_id: 'a', amount: 2 }))).toEqual([409, 'output_command_conflict'])
    expect(await rows()).toEqual([{ order_id: 'a', amount: 1 }])
  })

  it('refuses inputs that the command does not declare', async () => {
    const run = await commandRun()
    expect(codeOf(await send(run, { order_id: 'a', paid: true }))).toEqual([422, 'output_schema_violation'])
    expect(codeOf(await send(run, { order_id: 'a' }))).toBe(200)
  })

  it.each([
    ['has other inputs', { inputs: orderFields }, [409, 'output_command_stale']],
    ['is archived', undefined, [409, 'output_command_stale']],
    ['acts for its callers', { authority: 'caller' }, [403, 'output_policy_author_denied']],
    ['is granted to others', { granted_scope: 'chatroom' }, [403, 'output_policy_author_denied']],
  ])('ends when the command %s', async (_name, change, refusal) => {
    const run = await commandRun()
    const params = { id: command.id }
    if (change) {
      const granted = 'granted_scope' in change && { granted_id: await makeRoom(db, tenant) }
      await tables.must(tableCommandRoutes.updateTableCommand, manager, {
        params,
        body: { ...change, ...granted },
      })
    } else await tables.must(tableCommandRoutes.archiveTableCommand, manager, { params })
    expect(codeOf(await send(run, { order_id: 'a' }))).toEqual(refusal)
  })
})
