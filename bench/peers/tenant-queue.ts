import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/*
 * The minimum of a multi-tenant service on a Postgres queue: jobs that only take time, in a number of slots. It
 * replies to each line on standard input with one line.
 *
 *   tenant-queue.ts graphile-worker|pg-boss ENTRY DATABASE_URL SLOTS BOUND JOB_MS
 *
 *   fill COUNT      queues that many jobs of the busy tenant
 *   wait LIMIT_MS   queues one job of the waiting tenant; milliseconds until it starts, LIMIT_MS if it does not
 *   started         number of jobs of the busy tenant that have started
 *
 * BOUND is the most slots that one tenant may use, if the queue has such a bound.
 */

interface TenantQueue {
  add(tenant: string, count: number): Promise<unknown>
  stop(): Promise<unknown>
}
/** The packages are installed outside the project: this is the part of them that is used. */
interface Graphile {
  run: (options: object) => Promise<{ stop(): Promise<void> }>
  makeWorkerUtils: (options: object) => Promise<{
    addJobs(jobs: readonly object[]): Promise<unknown>
    release(): Promise<void>
  }>
  Logger: new (factory: () => () => void) => object
}
interface Boss {
  on(event: 'error', listener: (error: unknown) => void): void
  start(): Promise<unknown>
  createQueue(name: string, options: object): Promise<void>
  work(name: string, options: object, handler: (jobs: { data: Payload }[]) => Promise<void>): Promise<unknown>
  insert(name: string, jobs: readonly object[]): Promise<unknown>
  stop(options: object): Promise<void>
}
interface Payload {
  tenant: string
}

const [kind = '', entry = '', url = '', ...numbers] = process.argv.slice(2)
const [places = 0, bound = 0, jobMs = 0] = numbers.map(Number)
const imported = await import(pathToFileURL(entry).href)

let waitedFor = Promise.withResolvers<void>()
let started = 0

async function job({ tenant }: Payload): Promise<void> {
  if (tenant === 'busy') started += 1
  else waitedFor.resolve()
  await sleep(jobMs)
}

async function graphileWorker(): Promise<TenantQueue> {
  const { run, makeWorkerUtils, Logger } = (imported.default ?? imported) as Graphile
  const logger = new Logger(() => () => undefined)
  const utils = await makeWorkerUtils({ connectionString: url, logger })
  const runner = await run({
    connectionString: url,
    concurrency: places,
    noHandleSignals: true,
    taskList: { job },
    logger,
  })
  return {
    add: (tenant, count) =>
      utils.addJobs(Array.from({ length: count }, () => ({ identifier: 'job', payload: { tenant } }))),
    stop: async () => {
      await runner.stop()
      await utils.release()
    },
  }
}

async function pgBoss(): Promise<TenantQueue> {
  const boss: Boss = new imported.PgBoss({ connectionString: url, useListenNotify: true })
  boss.on('error', (error: unknown) => process.stderr.write(`pg-boss: ${error}\n`))
  await boss.start()
  await boss.createQueue('job', { notify: true })
  const options = {
    localConcurrency: places,
    groupConcurrency: bound,
    pollingIntervalSeconds: 0.5,
    notifyPollingIntervalSeconds: 0.5,
  }
  await boss.work('job', options, async (jobs) => {
    for (const { data } of jobs) await job(data)
  })
  return {
    add: (tenant, count) =>
      boss.insert(
        'job',
        Array.from({ length: count }, () => ({ data: { tenant }, group: { id: tenant } })),
      ),
    stop: () => boss.stop({ graceful: false }),
  }
}

const queue = await (kind === 'pg-boss' ? pgBoss() : graphileWorker())
const batchJobs = 10_000

async function fill(count: number): Promise<string> {
  for (let remaining = count; remaining > 0; remaining -= batchJobs)
    await queue.add('busy', Math.min(remaining, batchJobs))
  return 'filled'
}

async function wait(limitMs: number): Promise<string> {
  waitedFor = Promise.withResolvers()
  const startedAt = performance.now()
  await queue.add('waiting', 1)
  const tooLong = new AbortController()
  await Promise.race([
    waitedFor.promise,
    sleep(limitMs, undefined, { signal: tooLong.signal }).catch(() => undefined),
  ])
  tooLong.abort()
  return String(Math.min(performance.now() - startedAt, limitMs))
}

const answers: Record<string, (number: number) => Promise<string>> = {
  fill,
  wait,
  started: async () => String(started),
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [command = '', number] = line.split(' ')
  const answer = answers[command]
  if (!answer) throw new Error(`unknown command ${command}`)
  process.stdout.write(`${await answer(Number(number))}\n`)
}
await queue.stop()
process.exit(0)
