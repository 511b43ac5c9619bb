import { operatorRoutes } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { expect, it } from 'vitest'
import { TestOperatorConsole } from '../../../testing/apps/test-operator-console.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { makeBuildAttempt } from '../../../testing/factories/build-attempt.ts'
import { makeRun, makeRunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant } from '../../../testing/factories/tenant.ts'
import { systemClock } from '../../base/clock.ts'
import { fenceSeconds } from '../../builds/attempts/build-fence.ts'
import { readAuditLog } from '../../operations/audit/audit-log.ts'
import { listRunEndRequests } from '../../runs/queue/run-end-request-store.ts'

const { db } = await createTestDatabase()
const operators = new TestOperatorConsole(db, systemClock)
const cookie = await operators.signedIn()
const [one, other] = [await makeTenant(db), await makeTenant(db)]
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1000)

const read = (url: string) => operators.send({ method: 'GET', url, headers: { cookie } })
const stop = (payload: object, as = cookie) =>
  operators.send({
    method: 'PUT',
    url: operatorRoutes.stopBuilds.path,
    payload,
    headers: { cookie: as },
  })
const resume = (payload: object, as = cookie) =>
  operators.send({ method: 'POST', url: operatorRoutes.resumeBuilds.path, payload, headers: { cookie: as } })

it('lists runs that wait, those that have waited the longest first, of all companies or of one', async () => {
  const tasks = [
    await makeRunnableTask(db, one.companyId),
    await makeRunnableTask(db, other.companyId),
  ] as const
  const queued = { state: 'queued' } as const
  const first = await makeRun(db, tasks[0], { ...queued, chatroom_id: one.roomId, queued_at: secondsAgo(90) })
  const second = await makeRun(db, tasks[1], {
    ...queued,
    chatroom_id: other.roomId,
    queued_at: secondsAgo(30),
  })
  const { active, waiting } = (await read(operatorRoutes.listRuns.path)).json()
  expect(active).toEqual({ items: [], is_cut: false })
  expect(waiting.items.map(({ id }: { id: string }) => id)).toEqual([first, second])
  expect(waiting.items[0]).toEqual({
    ...{ id: first, company_id: one.companyId, company: expect.any(String) },
    ...{ state: 'queued', profile: 'standard', seconds: expect.any(Number) },
  })
  const alone = (await read(`${operatorRoutes.listRuns.path}?company=${other.companyId}`)).json()
  expect(alone.waiting.items.map(({ id }: { id: string }) => id)).toEqual([second])
})

it('lists no more than a hundred runs, and reports that there are more', async () => {
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId)
  for (let index = 0; index < 101; index++) await makeRun(db, task, { chatroom_id: roomId, state: 'queued' })
  const { waiting } = (await read(`${operatorRoutes.listRuns.path}?company=${companyId}`)).json()
  expect([waiting.items.length, waiting.is_cut]).toEqual([100, true])
})

it('lists builds with their stages', async () => {
  const { id } = await makeBuildAttempt(db, { companyId: one.companyId })
  const { builds, refused_until } = (await read(operatorRoutes.listBuilds.path)).json()
  expect(refused_until).toBeNull()
  expect(builds.items).toMatchObject([{ id, company_id: one.companyId, stage: expect.any(String) }])
  const none = (await read(`${operatorRoutes.listBuilds.path}?company=${other.companyId}`)).json()
  expect(none.builds.items).toEqual([])
})

it.each([operatorRoutes.listRuns.path, operatorRoutes.listBuilds.path])(
  '%s refuses what is no identifier',
  async (path) => {
    for (const company of ['', '%00', 'a%20b'])
      expect((await read(`${path}?company=${company}`)).statusCode).toBe(422)
  },
)

it('refuses new builds for a time and accepts them again, each with its reason in the log', async () => {
  expect((await stop({ reason: 'A new builder.', minutes: 15 })).statusCode).toBe(200)
  expect(await fenceSeconds(db)).toBeGreaterThan(14 * 60)
  const { refused_until } = (await read(operatorRoutes.listBuilds.path)).json()
  expect(Date.parse(refused_until)).toBeGreaterThan(Date.now() + 14 * 60_000)
  expect((await resume({ reason: 'It works.' })).statusCode).toBe(200)
  // Repeating it is harmless.
  expect((await resume({ reason: 'Again.' })).statusCode).toBe(200)
  expect(await fenceSeconds(db)).toBe(0)
  const { items } = await readAuditLog(db, 3)
  expect(items.map(({ act, details }) => [act, (details as { reason: string }).reason])).toEqual([
    ['build_fence_off', 'Again.'],
    ['build_fence_off', 'It works.'],
    ['build_fence_on', 'A new builder.'],
  ])
})

it.each([{ minutes: 5 }, { reason: 'why' }, { reason: 'why', minutes: 0 }, { reason: 'why', minutes: 1441 }])(
  'refuses %j',
  async (payload) => {
    expect((await stop(payload)).statusCode).toBe(422)
    expect(await fenceSeconds(db)).toBe(0)
  },
)

it('asks for the end of a run and of all that wait, each with its reason, and refuses what is not there', async () => {
  const { companyId, roomId } = await makeTenant(db)
  const task = await makeRunnableTask(db, companyId)
  const run = await makeRun(db, task, { chatroom_id: roomId, state: 'queued' })
  const post = (path: string, id: string, payload: object, as = cookie) =>
    operators.send({ method: 'POST', url: path.replace('{id}', id), payload, headers: { cookie: as } })
  const { endRun, emptyQueue } = operatorRoutes
  const readOnly = await operators.signedIn('read_only')
  for (const [path, id] of [
    [endRun.path, run],
    [emptyQueue.path, companyId],
  ] as const) {
    expect((await post(path, id, {})).statusCode).toBe(422)
    expect((await post(path, 'run_none', { reason: 'why' })).statusCode).toBe(404)
    expect((await post(path, id, { reason: 'why' }, readOnly)).json().detail.code).toBe('operator_read_only')
  }
  expect(await listRunEndRequests(db)).toEqual([])
  expect((await post(endRun.path, run, { reason: 'It mines.' })).statusCode).toBe(200)
  expect((await post(emptyQueue.path, companyId, { reason: 'So do they.' })).statusCode).toBe(200)
  expect(await listRunEndRequests(db)).toMatchObject([
    { company_id: companyId, run_id: run, account: 'grace' },
    { company_id: companyId, run_id: null, account: 'grace' },
  ])
  const { items } = await readAuditLog(db, 2)
  expect(items.map(({ act, subject, details }) => [act, subject, details])).toMatchObject([
    ['queue_empty', companyId, { reason: 'So do they.' }],
    ['run_end', run, { reason: 'It mines.', request: expect.any(String) }],
  ])
})

it('a run that has ended is not there to be ended', async () => {
  const { companyId, roomId } = await makeTenant(db)
  const ended = {
    state: 'completed',
    exit_code: 0,
    terminal_at: new Date(),
    executor: 'e',
    sandbox_id: 's',
  } as const
  const id = await makeRun(db, await makeRunnableTask(db, companyId), { chatroom_id: roomId, ...ended })
  const url = operatorRoutes.endRun.path.replace('{id}', id)
  const answer = await operators.send({
    method: 'POST',
    url,
    payload: { reason: 'why' },
    headers: { cookie },
  })
  expect(answer.statusCode).toBe(404)
})

it('a read-only sign-in stops no builds', async () => {
  const as = await operators.signedIn('read_only')
  for (const answer of [await stop({ reason: 'why', minutes: 5 }, as), await resume({ reason: 'why' }, as)])
    expect(answer.json().detail.code).toBe('operator_read_only')
  expect(await fenceSeconds(db)).toBe(0)
})
