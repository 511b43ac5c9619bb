import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/*
 * What a service made of a queue on Postgres would do for its tenants, kept to the least: jobs that only take time, in a
 * number of places. It answers each line on standard input with one.
 *
 *   tenant-queue.ts graphile-worker|pg-boss ENTRY DATABASE_URL PLACES BOUND JOB_MS
 *
 *   fill COUNT      queues that many jobs of the busy tenant
 *   wait LIMIT_MS   queues one job of the waiting tenant; milliseconds until it starts, LIMIT_MS where it does not
 *   started         jobs of the busy tenant that have started
 *
 * BOUND is the most places that one tenant may hold, where the queue has such a bound.
 */

interface TenantQueue {
  add(tenant: string, count: number): Promise<unknown>
  stop(): Promise<unknown>
}
/** The packages lie beside the project: this is what is used of them. */
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
  for (let left = count; left > 0; left -= batchJobs) await queue.add('busy', Math.min(left, batchJobs))
  return 'filled'
}

async function wait(limitMs: number): Promise<string> {
  waitedFor = Promise.withResolvers()
  const begun = performance.now()
  await queue.add('waiting', 1)
  const tooLong = new AbortController()
  await Promise.race([
    waitedFor.promise,
    sleep(limitMs, undefined, { signal: tooLong.signal }).catch(() => undefined),
  ])
  tooLong.abort()
  return String(Math.min(performance.now() - begun, limitMs))
}

const answers: Record<string, (number: number) => Promise<string>> = {
  fill,
  wait,
  started: async () => String(started),
}

process.stdout.write('ready\n')
for await (const line of createInterface({ input: process.stdin })) {
  const [word = '', number] = line.split(' ')
  const answer = answers[word]
  if (!answer) throw new Error(`cannot answer ${word}`)
  process.stdout.write(`${await answer(Number(number))}\n`)
}
await queue.stop()
process.exit(0)
