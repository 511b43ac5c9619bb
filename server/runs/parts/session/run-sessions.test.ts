import { randomUUID } from 'node:crypto'
import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { extendedRunRoutes } from '@sandbox-jobs/contract/routes/extended-run-routes.ts'
import { runRoutes } from '@sandbox-jobs/contract/routes/run-routes.ts'
import { sessionRoutes } from '@sandbox-jobs/contract/routes/session-routes.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FolderEntry } from '../../../../agent/port/folder-entries.ts'
import { TestApi } from '../../../../testing/apps/test-api.ts'
import { createTestDatabase } from '../../../../testing/database/test-database.ts'
import { eventually } from '../../../../testing/eventually.ts'
import { makeRunnableTask, type RunnableTask } from '../../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../../testing/factories/tenant.ts'
import { ScriptedExecutor, type ScriptedResult } from '../../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../../testing/unsigned-images.ts'
import { createLog } from '../../../base/logging.ts'
import { sha256Of } from '../../../base/sha256.ts'
import { runCapacity } from '../../../capacity/run-capacity.ts'
import { StoredRunSessions } from '../../../sessions/runs/run-sessions.ts'
import { postgresRunQueue, type RunQueue } from '../../drive/run-queue.ts'
import { type RunWorker, startRunWorker } from '../../drive/run-worker.ts'

/* Runs that hold sessions, from the queue to what is kept at their end. */

const { db, url } = await createTestDatabase()
const log = createLog('test', 'silent')
const api = new TestApi(db)
const runs = postgresRunQueue(db, url, log)
const sessions = new StoredRunSessions({ db, storage: api.storage, clock: { now: () => new Date() }, log })
let tenant: Tenant
let task: RunnableTask
let executor: ScriptedExecutor
const workers: RunWorker[] = []

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId)
  executor = new ScriptedExecutor()
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop()))
  await db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('terminal_at', 'is', null)
    .execute()
})

async function startWorker(asked: RunQueue = runs): Promise<RunWorker> {
  const worker = await startRunWorker({
    runs: asked,
    executor,
    storage: api.storage,
    images: unsignedImages,
    sessions,
    log,
    driver: { executor: 'w1', worker: 'w1' },
    capacity: runCapacity({ slots: 4, reserved: 0 }),
    companyConcurrency: 50,
    pollIntervalMs: 50,
  })
  workers.push(worker)
  return worker
}

const params = () => ({ cid: tenant.roomId })
const create = async (body: Record<string, unknown> = {}) =>
  (await api.must(sessionRoutes.createSession, tenant.member, { params: params(), body })).id
const read = (sid: string) =>
  api.must(sessionRoutes.readSession, tenant.member, { params: { ...params(), sid } })
const put = (sid: string, path: string, text: string) =>
  api.call(sessionRoutes.writeSessionFile, tenant.member, {
    params: { ...params(), sid },
    query: { path },
    payload: Buffer.from(text),
    headers: { 'content-type': 'application/octet-stream' },
  })
const submit = (sid: string, more: Record<string, unknown> = {}, key: string = randomUUID()) =>
  api.call(extendedRunRoutes.submitExtendedRun, tenant.member, {
    params: params(),
    headers: { 'idempotency-key': key },
    body: { task_version_id: task.versionId, input: {}, session: { session_id: sid, ...more } },
  })
const queue = async (sid: string): Promise<ExtendedRun> => {
  const { status, body } = await submit(sid)
  expect(status).toBe(200)
  return body
}
const show = (rid: string) =>
  api.must(extendedRunRoutes.readExtendedRun, tenant.member, { params: { ...params(), rid } })
const cancel = (rid: string) => api.must(runRoutes.cancelRun, tenant.member, { params: { ...params(), rid } })
const untilStatus = (rid: string, status: string) =>
  eventually(async () => expect((await show(rid)).status).toBe(status))
const file = (path: string, text: string, mode = 0o644): FolderEntry => ({
  kind: 'file',
  mode,
  modifiedAt: 1_600_000_000,
  path,
  content: Buffer.from(text),
})
const leaves = (folder: FolderEntry[], more: ScriptedResult = {}) =>
  executor.script(() => ({ folder, ...more }))
const filesOf = async (sid: string) => {
  const { items } = await api.must(sessionRoutes.listSessionFiles, tenant.member, {
    params: { ...params(), sid },
    query: { depth: 'all' },
  })
  return Promise.all(
    items.map(async ({ path, kind }) => {
      if (kind !== 'file') return [path, kind]
      const of = { params: { ...params(), sid }, query: { path } }
      return [path, (await api.call(sessionRoutes.readSessionFile, tenant.member, of)).text]
    }),
  )
}
const packs = async () =>
  (
    await db
      .selectFrom('session_packs')
      .select('byte_size')
      .where('company_id', '=', tenant.companyId)
      .execute()
  ).map(({ byte_size }) => byte_size)

describe('a run with a session', () => {
  it('gets the files of the session and leaves its own there, of which equal bytes are stored once', async () => {
    const sid = await create()
    await put(sid, 'data/in.txt', 'first')
    leaves([
      { kind: 'folder', mode: 0o755, modifiedAt: 5, path: 'data', content: Buffer.alloc(0) },
      file('data/in.txt', 'first'),
      file('data/out.txt', 'second'),
      file('copy', 'second', 0o755),
      { kind: 'link', mode: 0o777, modifiedAt: 5, path: 'link', content: Buffer.from('/etc/passwd') },
    ])
    await startWorker()
    const run = await queue(sid)
    expect(run.session_id).toBe(sid)
    await untilStatus(run.id, 'completed')
    expect(executor.stdinOf(executor.started[0] ?? '').includes('session/data/in.txt')).toBe(true)
    expect(await filesOf(sid)).toEqual([
      ['copy', 'second'],
      ['data', 'folder'],
      ['data/in.txt', 'first'],
      ['data/out.txt', 'second'],
      ['link', 'link'],
    ])
    expect(await read(sid)).toMatchObject({ run_id: null, byte_size: 17, file_count: 5, revision: 3 })
    await eventually(async () => expect((await packs()).toSorted()).toEqual([5, 6]))
    const link = { params: { ...params(), sid }, query: { path: 'link' } }
    expect((await api.call(sessionRoutes.readSessionFile, tenant.member, link)).status).toBe(404)
  })

  it('carries no bytes that the session has, and stores them again where its packs are mostly unused', async () => {
    const sid = await create()
    leaves([file('large', 'x'.repeat(1_500_000)), file('small', 'kept')])
    await startWorker()
    await untilStatus((await queue(sid)).id, 'completed')
    const moved: FolderEntry = {
      kind: 'folder',
      mode: 0o755,
      modifiedAt: 5,
      path: 'moved',
      content: Buffer.alloc(0),
    }
    leaves([moved, file('moved/small', 'kept', 0o600), file('new', 'new')])
    const { id } = await queue(sid)
    await untilStatus(id, 'completed')
    expect(executor.openedOf(`${id}_1`)?.known).toContainEqual({ byteSize: 4, digest: sha256Of('kept') })
    expect(await filesOf(sid)).toEqual([
      ['moved', 'folder'],
      ['moved/small', 'kept'],
      ['new', 'new'],
    ])
    await eventually(async () => expect(await packs()).toEqual([7]))
  })

  it('holds it alone, from the queue to its end; others wait for it in their order and are told so', async () => {
    const sid = await create()
    const first = await queue(sid)
    const second = await queue(sid)
    const third = await queue(sid)
    expect([first, second, third].map(({ wait_reason }) => wait_reason)).toEqual([
      'awaiting_dispatch',
      'session_in_use',
      'session_in_use',
    ])
    expect((await show(third.id)).wait_reason).toBe('session_in_use')
    expect(await read(sid)).toMatchObject({ run_id: first.id })
    executor.script(() => 'hold')
    await startWorker()
    await executor.untilStarted(1)
    const free = await create()
    const beside = await queue(free)
    await executor.untilStarted(2)
    expect((await show(beside.id)).status).not.toBe('queued')
    expect((await show(second.id)).status).toBe('queued')
    // A run that waits holds nothing, so its end gives the session to nobody.
    await cancel(second.id)
    expect(await read(sid)).toMatchObject({ run_id: first.id })
    executor.end(`${first.id}_1`, { folder: [file('a', '1')] })
    await executor.untilStarted(3)
    expect(executor.started[2]).toBe(`${third.id}_1`)
    expect(executor.stdinOf(`${third.id}_1`).includes('session/a')).toBe(true)
    expect(await read(sid)).toMatchObject({ run_id: third.id })
    executor.end(`${third.id}_1`, { folder: [] })
    await untilStatus(third.id, 'completed')
    expect(await read(sid)).toMatchObject({ run_id: null, file_count: 0 })
  })

  it('is refused where it asked not to wait, and a repeated key gets its first answer', async () => {
    const sid = await create()
    const key = randomUUID()
    const first = await submit(sid, { when_in_use: 'refuse' }, key)
    expect(first.status).toBe(200)
    const again = await submit(sid, { when_in_use: 'refuse' }, key)
    expect([again.status, again.body.id]).toEqual([200, first.body.id])
    const other = await submit(sid, { when_in_use: 'refuse' })
    expect([other.status, other.body.detail.code]).toEqual([409, 'session_in_use'])
    const refusals = [
      await put(sid, 'a', 'a'),
      await api.call(sessionRoutes.deleteSession, tenant.member, { params: { ...params(), sid } }),
      await api.call(sessionRoutes.deleteRoomSession, tenant.roomManager, { params: { ...params(), sid } }),
    ]
    for (const { status, body } of refusals)
      expect([status, body.detail.code]).toEqual([409, 'session_in_use'])
    await cancel(first.body.id)
    expect((await put(sid, 'a', 'a')).status).toBe(200)
  })

  it.each([
    ['exits with an error', { exit: { exitCode: 1 } }, 'customer_failed', 'after'],
    [
      'dies of a signal',
      { exit: { cause: 'signalled', exitCode: null, signal: 11 } },
      'customer_failed',
      'after',
    ],
    ['reaches its deadline', { exit: { cause: 'deadline', exitCode: null } }, 'customer_failed', 'before'],
    [
      'uses too much memory',
      { exit: { cause: 'out_of_memory', exitCode: null } },
      'customer_failed',
      'before',
    ],
    ['is lost with its host', { exit: { cause: 'lost', exitCode: null } }, 'platform_failed', 'before'],
  ] as const)('that %s leaves a session that is whole', async (_, result, status, expected) => {
    const sid = await create()
    await put(sid, 'a', 'before')
    leaves([file('a', 'after')], result)
    await startWorker()
    const run = await queue(sid)
    await untilStatus(run.id, status)
    expect(await filesOf(sid)).toEqual([['a', expected]])
    expect(await read(sid)).toMatchObject({ run_id: null })
  })

  it('that is cancelled leaves the files from before', async () => {
    const sid = await create()
    await put(sid, 'a', 'before')
    executor.script(() => 'hold')
    await startWorker()
    const run = await queue(sid)
    await executor.untilStarted(1)
    await cancel(run.id)
    await untilStatus(run.id, 'cancelled')
    expect(await filesOf(sid)).toEqual([['a', 'before']])
    expect(await read(sid)).toMatchObject({ run_id: null })
  })

  it.each([
    [[file('a\u0001', 'x')], 'control_character'],
    [[file(Buffer.from('ü').toString('latin1').slice(0, 1), 'x')], 'path_not_utf8'],
    [[file('a/../b', 'x')], 'control_character'],
  ] as const)(
    'whose files break a rule fails with the rule, and the session stays as it was: %#',
    async (left, rule) => {
      const sid = await create()
      await put(sid, 'a', 'before')
      leaves([...left])
      await startWorker()
      const run = await queue(sid)
      await untilStatus(run.id, 'customer_failed')
      expect(await show(run.id)).toMatchObject({ error_code: 'session_not_kept', error_detail: rule })
      expect(await filesOf(sid)).toEqual([['a', 'before']])
    },
  )

  it('whose files exceed the quota fails, and the session stays as it was', async () => {
    const sid = await create()
    await put(sid, 'a', 'before')
    executor.script(() => 'hold')
    await startWorker()
    const run = await queue(sid)
    await executor.untilStarted(1)
    await db.insertInto('storage_bounds').values({ company_bytes: 100_000 }).execute()
    executor.end(`${run.id}_1`, { folder: [file('a', 'x'.repeat(200_000))] })
    await untilStatus(run.id, 'customer_failed')
    await db.deleteFrom('storage_bounds').execute()
    expect(await show(run.id)).toMatchObject({
      error_code: 'session_not_kept',
      error_detail: 'storage_quota',
    })
    expect(await filesOf(sid)).toEqual([['a', 'before']])
    expect(await packs()).toEqual([6])
  })

  it('whose session was damaged in storage does not start', async () => {
    const sid = await create()
    await put(sid, 'a', 'before')
    const { storage_key } = await db
      .selectFrom('session_packs')
      .select('storage_key')
      .where('company_id', '=', tenant.companyId)
      .executeTakeFirstOrThrow()
    await api.storage.put(storage_key, Buffer.from('BEFORE'))
    await startWorker()
    const run = await queue(sid)
    await untilStatus(run.id, 'platform_failed')
    expect(await show(run.id)).toMatchObject({ error_code: 'storage_lost', error_detail: 'session_damaged' })
    expect(executor.started).toEqual([])
  })

  it('of another person or of none is refused, without a row', async () => {
    const foreign = await api.must(sessionRoutes.createSession, tenant.roomManager, {
      params: params(),
      body: {},
    })
    for (const sid of [foreign.id, 'ses_unknown']) {
      const answer = await submit(sid)
      expect([answer.status, answer.body.detail.code]).toEqual([404, 'session_not_found'])
    }
    expect(
      await db.selectFrom('runs').select('id').where('company_id', '=', tenant.companyId).execute(),
    ).toEqual([])
  })
})

describe('a worker that dies', () => {
  /** Stops where a process would die: after the bytes were stored, before or after the run has ended. */
  async function dieAtFinish(when: 'before' | 'after'): Promise<{ sid: string; run: ExtendedRun }> {
    const sid = await create()
    await put(sid, 'a', 'before')
    leaves([file('a', 'after'), file('b', 'more')])
    const reached = Promise.withResolvers<void>()
    const death = Promise.withResolvers<never>()
    const dying: RunQueue = {
      ...runs,
      finish: async (run, end) => {
        if (when === 'after') await runs.finish(run, end)
        reached.resolve()
        return death.promise
      },
    }
    const worker = await startWorker(dying)
    const run = await queue(sid)
    await reached.promise
    // It does nothing more: what it waits for fails when it may not try again.
    const stopped = worker.stop()
    death.reject(new Error('killed'))
    await stopped
    return { sid, run }
  }

  it('before the end of the run leaves the files from before, and the next worker ends it once with those from after', async () => {
    const { sid, run } = await dieAtFinish('before')
    expect(await filesOf(sid)).toEqual([['a', 'before']])
    expect(await read(sid)).toMatchObject({ run_id: run.id, revision: 2 })
    await startWorker()
    await untilStatus(run.id, 'completed')
    expect(await filesOf(sid)).toEqual([
      ['a', 'after'],
      ['b', 'more'],
    ])
    expect(await read(sid)).toMatchObject({ run_id: null, revision: 3 })
    expect(executor.started).toEqual([`${run.id}_1`])
    await eventually(async () => expect(await packs()).toEqual([9]))
  })

  it('after the end of the run leaves the files from after, which the next run finds', async () => {
    const { sid } = await dieAtFinish('after')
    expect(await filesOf(sid)).toEqual([
      ['a', 'after'],
      ['b', 'more'],
    ])
    await startWorker()
    const next = await queue(sid)
    await untilStatus(next.id, 'completed')
    expect(await read(sid)).toMatchObject({ run_id: null, revision: 3 })
  })
})
