import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ExecutorRefused, ExecutorUnavailable } from '../../../agent/port/errors.ts'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { createTestDatabase } from '../../../testing/database/test-database.ts'
import { eventually } from '../../../testing/eventually.ts'
import { makeExecutor } from '../../../testing/factories/executors.ts'
import { makeRun, makeRunnableTask, type RunnableTask } from '../../../testing/factories/runs.ts'
import { makeTenant, type Tenant } from '../../../testing/factories/tenant.ts'
import { ScriptedExecutor } from '../../../testing/scripted-executor.ts'
import { unsignedImages } from '../../../testing/unsigned-images.ts'
import { currentDatabaseUse } from '../../base/current-request.ts'
import { createLog } from '../../base/logging.ts'
import { isBeingBuilt } from '../../builds/attempts/last-build-store.ts'
import { runCapacity } from '../../capacity/run-capacity.ts'
import { defaultSettings } from '../../companies/settings/company-policy.ts'
import { blockDigest } from '../../environments/operator/digest-blocks.ts'
import { cancelRun } from '../queue/cancel-run.ts'
import { recountLiveRuns } from '../queue/live-run-store.ts'
import { postgresRunQueue } from './run-queue.ts'
import { type RunWorker, startRunWorker } from './run-worker.ts'

const { db, url } = await createTestDatabase()
const runs = postgresRunQueue(db, url, createLog('test', 'silent'))
const storage = testStorage()
let tenant: Tenant
let task: RunnableTask
let executor: ScriptedExecutor
const workers: RunWorker[] = []

beforeEach(async () => {
  tenant = await makeTenant(db)
  task = await makeRunnableTask(db, tenant.companyId, { ordinary_env: { COLOR: 'blue', 'bad name': 'x' } })
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

const one = '1'.repeat(32)
const other = '2'.repeat(32)
let processes = 0

/** Starts another process that drives the executor. */
async function startWorker(name = one, slots = 4, asked = runs, egressCapBytes?: number) {
  processes += 1
  const worker = await startRunWorker({
    runs: asked,
    executor,
    storage,
    images: unsignedImages,
    log: createLog('test', 'silent'),
    driver: { executor: name, worker: `worker-${processes}` },
    capacity: runCapacity({ slots, reserved: 0 }),
    companyConcurrency: 50,
    egressCapBytes,
    pollIntervalMs: 100,
  })
  workers.push(worker)
  return worker
}

const queue = () => makeRun(db, task, { chatroom_id: tenant.roomId })
const rowOf = (id: string) => db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const contentOf = (id: string) =>
  db.selectFrom('run_contents').selectAll().where('run_id', '=', id).executeTakeFirst()
const movesOf = async (id: string) => {
  const events = await db
    .selectFrom('state_events')
    .selectAll()
    .where('entity_id', '=', id)
    .orderBy('id')
    .execute()
  return events.map((event) => event.to_state)
}
const untilState = (id: string, state: string) =>
  eventually(async () => expect((await rowOf(id)).state).toBe(state))
const untilSandboxGone = () =>
  eventually(async () =>
    expect((await executor.list()).filter(({ state }) => state !== 'forbidden')).toEqual([]),
  )

const textOf = async (key: string | null | undefined) => text(await storage.get(key ?? ''))

describe('a run in the hands of a worker', () => {
  it('goes from the queue to its end with everything it left', async () => {
    const owners: unknown[] = []
    executor.script(() => {
      owners.push(currentDatabaseUse()?.owner)
      const artifacts = { 'a/x.txt': 'hello', b: '', 'c.svg': '<svg/>' }
      return { log: 'working\n', output: '{"sum":3}', artifacts }
    })
    await startWorker()
    const id = await queue()
    await untilState(id, 'completed')
    // Its use of the database is its company's.
    expect(owners).toEqual([tenant.companyId])
    expect(await movesOf(id)).toEqual(['starting', 'running', 'completed'])
    const row = await rowOf(id)
    const times = [row.queued_at, row.claimed_at, row.started_at, row.terminal_at].map(Number)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect(row).toMatchObject({ exit_code: 0, error_code: '', failure_stage: '', peak_memory_bytes: 4096 })
    const content = await contentOf(id)
    expect(await textOf(content?.output_key)).toBe('{"sum":3}')
    expect(await textOf(content?.log_key)).toBe('working\n')
    expect(await textOf(content?.bundle_key)).toBe('hello<svg/>')
    const artifacts = await db
      .selectFrom('run_artifacts')
      .selectAll()
      .where('run_id', '=', id)
      .orderBy('relative_path')
      .execute()
    expect(artifacts).toMatchObject([
      { relative_path: 'a/x.txt', bundle_offset: 0, byte_size: 5 },
      { relative_path: 'b', bundle_offset: 5, byte_size: 0 },
      { relative_path: 'c.svg', bundle_offset: 5, byte_size: 6 },
    ])
    await untilSandboxGone()
    expect(executor.started).toEqual([`${id}_1`])
  })

  it('gets its scripts, input and environment through standard input alone', async () => {
    executor.script(() => 'hold')
    await startWorker()
    const id = await queue()
    await executor.untilStarted(1)
    const spec = JSON.stringify(executor.specOf(`${id}_1`))
    const stdin = executor.stdinOf(`${id}_1`).toString('latin1')
    expect(stdin).toContain(`export COLOR='blue'`)
    expect(stdin).not.toContain('bad name')
    expect(spec).not.toMatch(/blue|COLOR/)
    expect(executor.specOf(`${id}_1`).limits).toMatchObject({
      timeoutMs: 60_000,
      memoryBytes: 1280 * 1024 * 1024,
    })
    await untilState(id, 'running')
    executor.end(`${id}_1`, {})
    await untilState(id, 'completed')
    expect(await contentOf(id)).toMatchObject({ output_key: null, log_key: null, bundle_key: null })
  })

  it('has a network with the cap of the deployment, unless its company or the operator has none', async () => {
    const asked = vi.spyOn(executor, 'start')
    const networkOfNext = async () => {
      const id = await queue()
      await untilState(id, 'completed')
      expect(await rowOf(id)).toMatchObject({ measured_ingress_bytes: 7, measured_egress_bytes: 9 })
      return asked.mock.lastCall?.[0].network
    }
    const worker = await startWorker('with-egress', 4, runs, 12_345)
    executor.script(() => ({ exit: { network: { ingressBytes: 7, egressBytes: 9 } } }))
    expect(await networkOfNext()).toEqual({ egressCapBytes: 12_345 })
    await db
      .insertInto('company_settings')
      .values({
        company_id: tenant.companyId,
        ...defaultSettings,
        allowed_regions: ['onprem'],
        runtime_egress_enabled: false,
      })
      .execute()
    expect(await networkOfNext()).toBe('none')
    await db.deleteFrom('company_settings').where('company_id', '=', tenant.companyId).execute()
    await worker.stop()
    await startWorker('without-egress')
    expect(await networkOfNext()).toBe('none')
  })

  it('that fails keeps its log and output', async () => {
    executor.script(() => ({ exit: { exitCode: 3 }, log: 'oh', output: 'half' }))
    await startWorker()
    const id = await queue()
    await untilState(id, 'customer_failed')
    expect(await rowOf(id)).toMatchObject({
      exit_code: 3,
      error_code: 'work_exit_nonzero',
      error_detail: 'exit_code=3',
    })
    expect(await textOf((await contentOf(id))?.log_key)).toBe('oh')
  })

  const hostile: [string, Record<string, string>, string][] = [
    ['a name that is no text', { '\xff\xfe': 'x' }, 'path_not_utf8'],
    ['a control character', { 'a\nb': 'x' }, 'control_character'],
    ['a way up', { 'a/../b': 'x' }, 'path_not_plain'],
  ]
  it.each(hostile)(
    'completes without its artifacts when one has %s, and the log says why',
    async (_name, artifacts, slug) => {
      executor.script(() => ({ log: 'done\n', artifacts }))
      await startWorker()
      const id = await queue()
      await untilState(id, 'completed')
      const content = await contentOf(id)
      expect(content?.bundle_key).toBeNull()
      const log = await textOf(content?.log_key)
      expect(log).toMatch(/^done\n\n\[sandbox\] No artifact was kept: the (name|path) of "[^\n]+\.\n$/)
      expect(log).toContain(`(${slug})`)
      expect(content).toMatchObject({ refused_rule: slug, refused_path: expect.any(String) })
    },
  )

  it('completes when the executor refused its artifacts', async () => {
    executor.script(() => ({ exit: { tree: { status: 'rejected', reason: 'symlink', files: [] } } }))
    await startWorker()
    const id = await queue()
    await untilState(id, 'completed')
    expect(await textOf((await contentOf(id))?.log_key)).toContain(
      'No artifact was kept: one of them is a symbolic link',
    )
  })

  const unresolved: [Parameters<typeof makeRunnableTask>[2], string][] = [
    [{ secret_slot_declarations: '["TOKEN"]' }, 'secrets_unavailable'],
    [{ secret_slot_declarations: '["TOKEN"]', ordinary_env: { 'bad name': 'x' } }, 'env_invalid'],
    [{ secret_slot_declarations: '["TOKEN"]', ordinary_env: { SERVICE_X: 'x' } }, 'env_invalid'],
  ]
  it.each(unresolved)('that cannot get its secrets fails before a sandbox is made', async (fields, code) => {
    task = await makeRunnableTask(db, tenant.companyId, fields)
    await startWorker()
    const id = await queue()
    await untilState(id, code === 'env_invalid' ? 'customer_failed' : 'platform_failed')
    expect(await rowOf(id)).toMatchObject({
      error_code: code,
      failure_stage: 'secret_env',
      failure_source: 'dispatch',
    })
    expect(executor.started).toEqual([])
  })

  it('whose task or image was archived or blocked since it was queued does not start', async () => {
    const blockImage = async () => {
      const layer_digest = `sha256:${'b'.repeat(64)}`
      const { environmentVersionId: id } = task
      await db.updateTable('environment_versions').set({ layer_digest }).where('id', '=', id).execute()
      return blockDigest(db, { digest: layer_digest, reason: 'miner', isBeingBuilt })
    }
    const pulled: [string, (id: string) => Promise<unknown>][] = [
      ['archived', (id) => db.updateTable('tasks').set({ state: 'archived' }).where('id', '=', id).execute()],
      [
        'archived',
        (id) =>
          db.updateTable('task_versions').set({ state: 'archived' }).where('task_id', '=', id).execute(),
      ],
      [
        'security_blocked',
        (id) => db.updateTable('tasks').set({ security_state: 'blocked' }).where('id', '=', id).execute(),
      ],
      ['security_blocked', blockImage],
    ]
    await startWorker()
    for (const [detail, pull] of pulled) {
      task = await makeRunnableTask(db, tenant.companyId)
      await pull(task.taskId)
      const id = await queue()
      await untilState(id, 'customer_failed')
      expect(await rowOf(id)).toMatchObject({ error_code: 'version_not_runnable', error_detail: detail })
    }
    expect(executor.started).toEqual([])
  })

  it('that cannot be started fails on our side, and its sandbox never starts', async () => {
    for (let count = 0; count < 2; count += 1) executor.failNext('start', new ExecutorRefused('filter', 'x'))
    await startWorker()
    const id = await queue()
    await untilState(id, 'platform_failed')
    expect(await rowOf(id)).toMatchObject({
      error_code: 'runtime_start_failed',
      error_detail: 'filter',
      failure_stage: 'spawn',
    })
    expect(await executor.list()).toEqual([{ id: `${id}_1`, state: 'forbidden' }])
  })

  it('waits for a host that is full or away, at every step', async () => {
    executor.script(() => ({ output: '1', log: 'x', artifacts: { a: 'b' } }))
    executor.failNext('installImage')
    executor.failNext('start')
    executor.failNext('start', new ExecutorRefused('no_capacity', 'full'))
    // It started, but the answer was lost.
    executor.failNext('start', new ExecutorUnavailable('cut'), true)
    for (const call of ['wait', 'log', 'file', 'tree', 'remove'] as const) executor.failNext(call)
    await startWorker()
    const id = await queue()
    await untilState(id, 'completed')
    expect(executor.started).toEqual([`${id}_1`])
    await untilSandboxGone()
  })
})

describe('a cancel', () => {
  it('stops the sandbox and ends the run', async () => {
    executor.script(() => 'hold')
    await startWorker()
    const id = await queue()
    await untilState(id, 'running')
    await cancelRun(db, { id, company_id: tenant.companyId })
    await untilState(id, 'cancelled')
    expect(await movesOf(id)).toEqual(['starting', 'running', 'cancel_requested', 'cancelled'])
    await untilSandboxGone()
  })

  it('before the start keeps the sandbox from ever starting', async () => {
    for (let count = 0; count < 3; count += 1)
      executor.failNext('start', new ExecutorRefused('no_capacity', 'full'))
    await startWorker()
    const id = await queue()
    await untilState(id, 'starting')
    await cancelRun(db, { id, company_id: tenant.companyId })
    await untilState(id, 'cancelled')
    expect(executor.started).toEqual([])
  })

  it('leaves a job its own end that was faster', async () => {
    executor.script(() => 'hold')
    await startWorker()
    const id = await queue()
    await untilState(id, 'running')
    // The row asks for the end, and the job has ended before any notification.
    await db.updateTable('runs').set({ state: 'cancel_requested' }).where('id', '=', id).execute()
    executor.end(`${id}_1`, { exit: { exitCode: 3 } })
    await untilState(id, 'customer_failed')
  })
})

describe('a worker that comes back', () => {
  const steps: [string, Parameters<ScriptedExecutor['failAll']>][] = [
    ['placing the image', ['installImage']],
    ['starting', ['start']],
    ['hearing that it started', ['start', true]],
    ['waiting', ['wait']],
    ['reading the log', ['log']],
    ['reading the output', ['file']],
    ['reading the artifacts', ['tree']],
    ['removing', ['remove']],
  ]
  it.each(steps)('after it was lost while %s carries the run to its one end', async (_name, away) => {
    executor.script(() => ({ output: 'o', log: 'l', artifacts: { a: 'b' } }))
    executor.failAll(...away)
    const reached = executor.untilCalled(away[0])
    const first = await startWorker()
    const id = await queue()
    await reached
    await first.stop()
    executor.recover()
    await startWorker()
    await untilState(id, 'completed')
    expect(executor.started).toHaveLength(1)
    const moves = await movesOf(id)
    expect(moves.filter((state) => state === 'completed')).toHaveLength(1)
    expect((await contentOf(id))?.bundle_key).not.toBeNull()
    await untilSandboxGone()
  })

  it('goes on with what runs, and starts nothing twice', async () => {
    executor.script(() => 'hold')
    const first = await startWorker()
    const id = await queue()
    await untilState(id, 'running')
    await first.stop()
    expect((await rowOf(id)).state).toBe('running')
    executor.end(`${id}_1`, { output: 'late' })
    await startWorker()
    await untilState(id, 'completed')
    expect(await textOf((await contentOf(id))?.output_key)).toBe('late')
    expect(executor.started).toEqual([`${id}_1`])
  })

  it('queues again what it had claimed and never started', async () => {
    const id = await queue()
    await db
      .updateTable('runs')
      .set({
        state: 'starting',
        worker: 'an earlier process',
        executor: one,
        fence: 1,
        sandbox_id: `${id}_1`,
        lease_until: new Date(),
      })
      .where('id', '=', id)
      .execute()
    await startWorker()
    await untilState(id, 'completed')
    expect(executor.started).toHaveLength(1)
    expect(executor.started[0]).not.toBe(`${id}_1`)
    expect(await movesOf(id)).toEqual(['queued', 'starting', 'running', 'completed'])
  })

  it('finds out what it had started without noting it', async () => {
    executor.script(() => 'hold')
    executor.failNext('start', new ExecutorUnavailable('cut'), true)
    const first = await startWorker()
    const id = await queue()
    await executor.untilStarted(1)
    await first.stop()
    await startWorker()
    await untilState(id, 'running')
    executor.end(`${id}_1`, {})
    await untilState(id, 'completed')
    expect(executor.started).toEqual([`${id}_1`])
  })

  it('ends a run whose sandbox is gone with its host', async () => {
    executor.script(() => 'hold')
    const first = await startWorker()
    const id = await queue()
    await untilState(id, 'running')
    await first.stop()
    executor.lose(`${id}_1`)
    await startWorker()
    await untilState(id, 'platform_failed')
    expect(await rowOf(id)).toMatchObject({
      error_code: 'host_lost',
      failure_source: 'reconcile',
      failure_stage: 'wait',
    })
  })

  it('stops what was cancelled while it was away', async () => {
    executor.script(() => 'hold')
    const first = await startWorker()
    const id = await queue()
    await untilState(id, 'running')
    await first.stop()
    await cancelRun(db, { id, company_id: tenant.companyId })
    await startWorker()
    await untilState(id, 'cancelled')
    await untilSandboxGone()
  })

  const otherExecutor: [string, 'hold' | 'never started'][] = [
    ['runs on', 'hold'],
    ['never started', 'never started'],
  ]
  it.each(otherExecutor)('ends what was claimed for another executor and %s there', async (_name, how) => {
    executor.script(() => 'hold')
    if (how === 'never started') executor.failAll('start')
    const reached = executor.untilCalled('start')
    const first = await startWorker()
    const id = await queue()
    await reached
    if (how === 'hold') await untilState(id, 'running')
    await first.stop()
    await db
      .updateTable('runs')
      .set({ lease_until: new Date(0) })
      .where('id', '=', id)
      .execute()
    await makeExecutor(db, other)
    // Its own host knows nothing of the sandbox, and would say that it never started.
    executor = new ScriptedExecutor()
    await startWorker(other)
    await untilState(id, 'platform_failed')
    expect(await rowOf(id)).toMatchObject({
      error_code: 'host_lost',
      error_detail: 'other_machine',
      executor: one,
      worker: `worker-${processes}`,
    })
    expect(executor.started).toEqual([])
    expect(await executor.list()).toEqual([])
  })

  it('takes back a run that it claimed without hearing so', async () => {
    let cut = true
    const claimNext: typeof runs.claimNext = async (options) => {
      const claimed = await runs.claimNext(options)
      if (!claimed || !cut) return claimed
      cut = false
      throw new Error('Connection terminated unexpectedly')
    }
    await startWorker(one, 4, { ...runs, claimNext })
    const id = await queue()
    await untilState(id, 'completed')
    expect(executor.started).toHaveLength(1)
  })

  it('leaves what a sandbox left to the worker that has the run by now', async () => {
    executor.script(() => 'hold')
    const worker = await startWorker()
    const id = await queue()
    await untilState(id, 'running')
    await db
      .updateTable('runs')
      .set({ worker: 'w2', executor: other, fence: 9, lease_until: new Date(Date.now() + 60_000) })
      .where('id', '=', id)
      .execute()
    executor.end(`${id}_1`, { output: 'late' })
    await eventually(() => expect(worker.active()).toEqual([]))
    expect(await executor.list()).toEqual([{ id: `${id}_1`, state: 'exited' }])
    await worker.stop()
    await startWorker(other)
    await untilState(id, 'completed')
    expect(await textOf((await contentOf(id))?.output_key)).toBe('late')
    // No claim moves a run at work to another executor, so no trigger has counted it.
    await recountLiveRuns(db)
  })
})

describe('the slots of a worker', () => {
  it('bound the active runs', async () => {
    executor.script(() => 'hold')
    const worker = await startWorker(one, 2)
    const ids = [await queue(), await queue(), await queue()]
    await executor.untilStarted(2)
    expect(worker.active()).toHaveLength(2)
    executor.end(`${ids[0]}_1`, {})
    await executor.untilStarted(3)
    const sandboxes = ids.map((id) => `${id}_1`)
    // The first two are driven at once and may start in either order.
    expect(executor.started.slice(0, 2).toSorted()).toEqual(sandboxes.slice(0, 2))
    expect(executor.started.slice(2)).toEqual(sandboxes.slice(2))
  })
})
