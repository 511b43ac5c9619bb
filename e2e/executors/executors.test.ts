import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBucket } from '../../testing/bucket/test-bucket.ts'
import { type ExternalPostgres, startExternalPostgres } from '../../testing/database/external-postgres.ts'
import { childOf, type OwnService, readyLine, sandboxProgram, startService } from '../main-job/service.ts'
import {
  build,
  ended,
  logIn,
  logOf,
  outputOf,
  publish,
  runWhen,
  submit,
  type Tenant,
} from '../main-job/tenant.ts'

/* Two machines of one deployment, each with its own API, worker and host agent, on one Postgres and one bucket. */

let folder: string
let postgres: ExternalPostgres
let bucket: TestBucket
let first: OwnService
let second: OwnService
/** The same person, over the API of each machine. */
let atFirst: Tenant
let atSecond: Tenant
let environmentVersion: string
let quick: string
let slow: string

const settings = (): Record<string, string> => ({
  ...bucket.settings(),
  DATABASE_URL: postgres.url,
  SANDBOX_RUN_SLOTS: '4',
})
const further = () => ({ ...settings(), SANDBOX_MAKE_KEYS: 'false' })

const run = promisify(execFile)

/** As docs/operations/machines.md says. */
const copiedKeys = {
  prepare: async (dataDir: string) => {
    await run('cp', ['--recursive', join(first.dataDir, 'keys'), join(dataDir, 'keys')])
    await run('chown', ['--recursive', 'sandbox-jobs:', join(dataDir, 'keys')])
  },
  cleanUp: async () => undefined,
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'e2e-executors-'))
  await chmod(folder, 0o755)
  postgres = await startExternalPostgres(join(folder, 'postgres'))
  bucket = await TestBucket.start()
  first = await startService(settings())
  await first.sandbox('operator', 'keys', 'make')
  atFirst = await logIn(first)
})
afterAll(async () => {
  await Promise.all([first?.stop(), second?.stop()])
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
})

const rowOf = async (id: string) => {
  const rows = await postgres.query<{ executor: string; worker: string; fence: number }>(
    `select executor, worker, fence from runs where id = '${id}'`,
  )
  const [row] = rows
  if (!row) throw new Error(`no run ${id}`)
  return row
}
const script = (seconds: number) =>
  `echo started; sleep ${seconds}; cp "$SERVICE_INPUTS_FILE" "$SERVICE_OUTPUT_FILE"`
const isRunning = ({ status }: { status: string }) => status === 'running'

/** The machine that executes a run, and its executor. */
async function machineOf(id: string): Promise<{ service: OwnService; executor: string }> {
  const { executor } = await rowOf(id)
  const rows = await postgres.query<{ place: string }>(`select place from executors where id = '${executor}'`)
  const service = rows[0]?.place.endsWith(first.dataDir) ? first : second
  return { service, executor }
}

test('a machine without the keys of the first, or with others, is refused, says what to do and makes none', async () => {
  await expect(startService(further())).rejects.toThrow(/keys are missing: .*sandbox operator keys make/)
  const left: string[] = []
  const watched = {
    prepare: async () => undefined,
    cleanUp: async (dataDir: string) => {
      const files = await readdir(join(dataDir, 'keys'), { recursive: true, withFileTypes: true })
      left.push(...files.filter((file) => file.isFile()).map(({ name }) => name))
    },
  }
  await expect(startService(settings(), watched)).rejects.toThrow(
    'It has other keys: copy its folder of keys',
  )
  expect(left).toEqual([])
})

test('runs that come over either API are executed on both machines, each once', async () => {
  second = await startService(further(), copiedKeys)
  atSecond = await logIn({ ...second, user: first.user, password: first.password })
  const context = await mkdtemp(join(folder, 'context-'))
  await writeFile(join(context, 'Dockerfile'), 'FROM scratch\nCOPY Dockerfile /note\n')
  const { vid } = await build(atFirst, context)
  environmentVersion = vid
  quick = await publish(atFirst, { environmentVersion, workScript: script(1) })
  slow = await publish(atFirst, { environmentVersion, workScript: script(15) })
  const at = Array.from({ length: 12 }, (_, number) => (number % 2 === 0 ? atFirst : atSecond))
  const runs = await Promise.all(at.map((tenant, number) => submit(tenant, quick, { number })))
  const executors = new Set<string>()
  for (const [number, { id }] of runs.entries()) {
    // Each over the API that did not take it.
    const other = at[number] === atFirst ? atSecond : atFirst
    expect(await runWhen(other, id, ended)).toMatchObject({ status: 'completed' })
    expect(JSON.parse(await outputOf(other, id))).toEqual({ number })
    expect(await logOf(other, id)).toBe('started\n')
    const { executor, fence } = await rowOf(id)
    expect(fence).toBe(1)
    executors.add(executor)
  }
  expect(executors.size).toBe(2)
})

test('a run whose worker is killed is taken over on its machine, while the other one works on', async () => {
  const { id } = await submit(atFirst, slow, 'kept')
  await runWhen(atFirst, id, isRunning)
  const before = await rowOf(id)
  const { service } = await machineOf(id)
  await service.kill('worker')
  const meanwhile = await submit(atFirst, quick, 'meanwhile')
  expect(await runWhen(atFirst, meanwhile.id, ended)).toMatchObject({ status: 'completed' })
  expect(await runWhen(atFirst, id, ended)).toMatchObject({ status: 'completed' })
  expect(await outputOf(atFirst, id)).toBe('"kept"')
  expect(await logOf(atFirst, id)).toBe('started\n')
  const after = await rowOf(id)
  expect(after).toMatchObject({ executor: before.executor, fence: before.fence + 1 })
  expect(after.worker).not.toBe(before.worker)
})

/** Longer than the lease of an executor. */
const outageMs = 25_000

test('runs on both machines go on when the database is away until all leases have expired', async () => {
  // Longer than the outage, the time in which others may come back, and the interval of take-overs.
  const long = await publish(atFirst, { environmentVersion, workScript: script(140), timeoutSeconds: 300 })
  const ids: string[] = []
  // More than one machine has slots for.
  for (const number of [0, 1, 2, 3, 4]) ids.push((await submit(atFirst, long, number)).id)
  const executors = new Set<string>()
  for (const id of ids) {
    await runWhen(atFirst, id, isRunning)
    executors.add((await rowOf(id)).executor)
  }
  expect(executors.size).toBe(2)
  await postgres.query(`update runs set lease_until = now() + interval '5 seconds' where terminal_at is null`)
  await postgres.interrupt(outageMs)
  for (const [number, id] of ids.entries()) {
    expect(await runWhen(atFirst, id, ended)).toMatchObject({ status: 'completed' })
    expect(await outputOf(atFirst, id)).toBe(String(number))
    expect(await logOf(atFirst, id)).toBe('started\n')
    expect((await rowOf(id)).fence).toBe(1)
  }
})

test('runs of a machine that died end as lost when their lease expires, and the other one serves the queue', async () => {
  const { id } = await submit(atFirst, slow, 'lost')
  await runWhen(atFirst, id, isRunning)
  const { service, executor } = await machineOf(id)
  const alive = service === first ? atSecond : atFirst
  await killAll(service)
  for (let runs = 0; runs < 3; runs += 1) {
    const next = await submit(alive, quick, runs)
    expect(await runWhen(alive, next.id, ended)).toMatchObject({ status: 'completed' })
    expect((await rowOf(next.id)).executor).not.toBe(executor)
  }
  expect(await runWhen(alive, id, () => true)).toMatchObject({ status: 'running' })
  await postgres.query(`update runs set lease_until = now() - interval '1 second' where id = '${id}'`)
  expect(await runWhen(alive, id, ended)).toMatchObject({
    status: 'platform_failed',
    error_code: 'host_lost',
    error_detail: 'other_machine',
  })

  // It comes back, and changes nothing of what has ended.
  const again = spawn(sandboxProgram, ['up'], { env: service.env, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  await readyLine(again, lines)
  const back = await submit(alive, quick, 'back')
  expect(await runWhen(alive, back.id, ended)).toMatchObject({ status: 'completed' })
  expect(await runWhen(alive, id, ended)).toMatchObject({ status: 'platform_failed' })
  again.kill('SIGTERM')
  await new Promise((resolve) => again.once('close', resolve))
})

/** As a machine that loses its power, except that its sandboxes go on. A stopped supervisor starts nothing again. */
async function killAll({ pid }: OwnService): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  const roles = await Promise.all(['worker', 'agent', 'api'].map((role) => childOf(pid, role)))
  for (const killed of [...roles, pid]) if (killed !== undefined) process.kill(killed, 'SIGKILL')
}
