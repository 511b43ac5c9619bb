import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { expect, it } from 'vitest'
import { fixedPeppers } from '../../../testing/apps/fixed-keys.ts'
import { TestOperatorConsole } from '../../../testing/apps/test-operator-console.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { issueGatewayKey, useGatewayKey } from '../../access/keys/gateway-keys.ts'
import { systemClock } from '../../base/clock.ts'
import { readAuditLog } from '../../operations/audit/audit-log.ts'

const { db } = await createTestDatabase()
const operators = new TestOperatorConsole(db, systemClock)
const cookie = await operators.signedIn()
const tenant = await makeTenant(db)
const task = await makeRunnableTask(db, tenant.companyId)
await makeRun(db, task, { chatroom_id: tenant.roomId, state: 'queued' })

const urlOf = (id: string) => operatorRoutes.readCompany.path.replace('{id}', id)
const list = (query: string, headers = { cookie }) =>
  operators.send({ method: 'GET', url: `${operatorRoutes.listCompanies.path}${query}`, headers })
const read = (id: string) => operators.send({ method: 'GET', url: urlOf(id), headers: { cookie } })
const change = (payload: object, { id = tenant.companyId, as = cookie } = {}) =>
  operators.send({ method: 'PATCH', url: urlOf(id), payload, headers: { cookie: as } })
const acts = async () => (await readAuditLog(db, 100)).items
const nameOf = async (): Promise<string> => (await read(tenant.companyId)).json().name

it('lists companies by a part of their names, whatever its case', async () => {
  await makeTenant(db)
  const name = await nameOf()
  const found = { items: [{ id: tenant.companyId, name }], is_cut: false }
  expect((await list(`?name=${encodeURIComponent(name.toUpperCase())}`)).json()).toEqual(found)
  expect((await list('')).json().items.length).toBeGreaterThanOrEqual(2)
  expect((await list('?name=%25')).json().items).toEqual([])
})

it.each(['?name=%00', `?name=${'x'.repeat(257)}`, '?other=1'])('refuses the search %s', async (query) => {
  expect((await list(query)).statusCode).toBe(422)
})

it('shows the work, the storage and the limits of a company, and stores nothing for it', async () => {
  const { companyId } = await makeTenant(db)
  expect((await read(tenant.companyId)).json()).toMatchObject({
    work: { runs_active: 0, runs_queued: 1, builds_queued: 0 },
    limits: { run_concurrency_limit: 50, runtime_egress_enabled: true },
    queued_run_limit_max: 20,
  })
  expect((await read(companyId)).json()).toMatchObject({ id: companyId, work: { runs_queued: 0 } })
  const rows = await db
    .selectFrom('company_settings')
    .selectAll()
    .where('company_id', '=', companyId)
    .execute()
  expect(rows).toEqual([])
})

it('answers 404 for a company that is not there', async () => {
  expect((await read('cmp_none')).statusCode).toBe(404)
  expect(
    (await change({ reason: 'why', limits: { queued_run_limit: 1 } }, { id: 'cmp_none' })).statusCode,
  ).toBe(404)
})

it('changes limits, with an entry that names account, reason and request', async () => {
  const answer = await change({ reason: 'It floods the queue.', limits: { queued_run_limit: 3 } })
  expect([answer.statusCode, answer.json()]).toEqual([200, {}])
  expect((await read(tenant.companyId)).json().limits).toMatchObject({
    queued_run_limit: 3,
    run_concurrency_limit: 50,
  })
  expect((await acts())[0]).toMatchObject({
    account: 'grace',
    act: 'company_set',
    subject: tenant.companyId,
    details: {
      queued_run_limit: 3,
      reason: 'It floods the queue.',
      request: answer.headers['x-request-id'],
    },
  })
  const { context } = await db
    .selectFrom('audit_pending')
    .select('context')
    .where('object_type', '=', 'company_settings')
    .where('object_id', '=', tenant.companyId)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  expect(JSON.parse(context)).toMatchObject({
    action: 'company_set',
    actor_type: 'operator',
    actor_id: 'grace',
    request_id: answer.headers['x-request-id'],
  })
})

it.each([
  [{}],
  [{ limits: { queued_run_limit: 3 } }],
  [{ reason: '', limits: { queued_run_limit: 3 } }],
  [{ reason: ' \n', limits: { queued_run_limit: 3 } }],
  [{ reason: 'x'.repeat(513), limits: { queued_run_limit: 3 } }],
  [{ reason: 'why', limits: {} }],
  [{ reason: 'why', limits: { queued_run_limit: 0 } }],
  [{ reason: 'why', limits: { queued_run_limit: 201 } }],
  [{ reason: 'why', limits: { queued_run_limit: '3' } }],
  [{ reason: 'why', limits: { kept_bytes_limit: null } }],
  [{ reason: 'why', limits: { run_content_retention_days: 1 } }],
  [{ reason: 'why', limits: { queued_run_limit: 3 }, account: 'ada' }],
])('refuses %j, and logs no act', async (payload) => {
  const before = (await acts()).length
  expect((await change(payload)).statusCode).toBe(422)
  expect(await acts()).toHaveLength(before)
})

it('sets a budget from the current month on or for one month, and removes all', async () => {
  const url = operatorRoutes.setBudget.path.replace('{id}', tenant.companyId)
  const set = (payload: object) => operators.send({ method: 'PUT', url, payload, headers: { cookie } })
  expect((await set({ reason: 'A trial.', amount: '99.50', recurring: true })).statusCode).toBe(200)
  const { month, limit } = (await read(tenant.companyId)).json().budget
  expect(limit).toBe('99.500000')
  expect((await set({ reason: 'More.', amount: '120', recurring: false, month })).statusCode).toBe(200)
  expect((await read(tenant.companyId)).json().budget).toMatchObject({
    ...{ limit: '120.000000', held: '0.000000', spent: '0.000000' },
    budgets: [
      { month, recurring: false, amount: '120.000000' },
      { month, recurring: true, amount: '99.500000' },
    ],
  })
  for (const wrong of [{ amount: '-1' }, { amount: '1e3' }, { amount: '10000000000' }, { month: '2026-13' }])
    expect((await set({ reason: 'why', amount: '1', recurring: true, ...wrong })).statusCode).toBe(422)
  const removed = await operators.send({
    ...{ method: 'POST', url: operatorRoutes.removeBudgets.path.replace('{id}', tenant.companyId) },
    ...{ payload: { reason: 'It pays.' }, headers: { cookie } },
  })
  expect(removed.statusCode).toBe(200)
  expect((await read(tenant.companyId)).json().budget).toMatchObject({ limit: null, budgets: [] })
  const { act, details } = (await acts())[0] ?? {}
  expect([act, details]).toMatchObject(['budget_set', { removed: true, reason: 'It pays.' }])
})

it('lists the gateway keys of a company and revokes one at once', async () => {
  const peppers = fixedPeppers(Buffer.alloc(32, 1))
  const { id, gateway_key } = await issueGatewayKey({ db, peppers }, tenant.companyId, 'bot')
  const urlOfKeys = operatorRoutes.listGatewayKeys.path.replace('{id}', tenant.companyId)
  const keys = () => operators.send({ method: 'GET', url: urlOfKeys, headers: { cookie } })
  const listed = (await keys()).json().items
  expect(listed).toMatchObject([{ id, name: 'bot', revoked_at: null, last_used_at: null }])
  expect(JSON.stringify(listed)).not.toContain(gateway_key)
  const revoke = () =>
    operators.send({
      ...{ method: 'POST', url: `${urlOfKeys}/${id}/revoke`, headers: { cookie } },
      payload: { reason: 'It leaked.' },
    })
  expect((await revoke()).statusCode).toBe(200)
  expect(await useGatewayKey({ db, peppers, clock: systemClock }, gateway_key)).toBeUndefined()
  expect((await keys()).json().items[0].revoked_at).not.toBeNull()
  // It is none of the live keys any more.
  expect((await revoke()).statusCode).toBe(404)
  expect((await acts())[0]).toMatchObject({ act: 'gateway_key_revoke', subject: id })
  const other = operatorRoutes.listGatewayKeys.path.replace('{id}', 'cmp_none')
  expect((await operators.send({ method: 'GET', url: other, headers: { cookie } })).statusCode).toBe(404)
})

it('refuses every act of a read-only sign-in, which sees the same', async () => {
  const before = (await acts()).length
  const as = await operators.signedIn('read_only')
  const answer = await change({ reason: 'why', limits: { queued_run_limit: 9 } }, { as })
  expect([answer.statusCode, answer.json().detail.code]).toEqual([403, 'operator_read_only'])
  expect((await list('', { cookie: as })).statusCode).toBe(200)
  expect(await acts()).toHaveLength(before)
})

it('answers 418 without a sign-in', async () => {
  expect((await list('', { cookie: '' })).statusCode).toBe(418)
  const answer = await change({ reason: 'why', limits: { queued_run_limit: 9 } }, { as: '' })
  expect(answer.statusCode).toBe(418)
})
