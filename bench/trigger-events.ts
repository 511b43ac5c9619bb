import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TriggerEvent } from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { allPages } from '../cli/lookup/all-pages.ts'
import { buildSteadily, noLoad, submitSteadily } from './harness/load/mixed-load.ts'
import { RunCalls } from './harness/load/run-calls.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { rounded } from './harness/measure/percentile.ts'
import { figuresOf, type Row, reachText } from './harness/measure/row.ts'
import { type BenchJob, makeJob, noOp } from './harness/sandbox/bench-job.ts'
import { Author } from './harness/service/author.ts'
import { atService, type Setup } from './harness/service/service.ts'

const reach = { atLeast: 1 }
const rowsPerMinute = 1000
const minuteMs = 60_000
const runsPerSecond = 10
const pollMs = 500
const drainMs = 5 * minuteMs

/** Row events beside other load, of which none may be lost or doubled; docs in bench/README.md. */
export const triggerEvents: Benchmark = {
  name: 'trigger-events',
  about: `runs that ${rowsPerMinute} changed rows a minute start beside ${runsPerSecond} runs a second and builds: one each`,
  run: async (options) => {
    options.say('trigger-events: starting a service')
    return atService(join(tmpdir(), 'bench-triggers-'), (setup) => measure(options, setup))
  },
}

interface Target {
  tableId: string
  triggerId: string
}

async function measure(options: BenchOptions, { service }: Setup): Promise<Row[]> {
  const job = await makeJob(service, noOp)
  const author = await Author.with(job.client)
  const calls = new RunCalls(job, { baseUrl: service.baseUrl, connections: 8 })
  const target = await declare(job)
  const load = noLoad()
  const machine = machineNote()
  try {
    options.say('trigger-events: a minute of load')
    const until = performance.now() + minuteMs
    const others = Promise.all([
      submitSteadily(calls, load, { runsPerSecond, until }),
      buildSteadily(author, load, until),
    ])
    await createRows(job, target)
    await others
    options.say('trigger-events: waiting until all has ended')
    const events = await handledEvents(job, target)
    const runs = await triggeredRuns(job)
    const waitedMs = events.map(
      ({ created_at, handled_at }) => Date.parse(handled_at ?? '') - Date.parse(created_at),
    )
    const started = new Set(events.flatMap(({ run_id }) => run_id ?? []))
    const isOneEach =
      events.length === rowsPerMinute && started.size === rowsPerMinute && runs.size === rowsPerMinute
    return [
      {
        name: 'trigger-events',
        ours: figuresOf(waitedMs),
        peer: 'rows',
        peer_ms: null,
        ratio: rounded(runs.size / rowsPerMinute),
        reach: reachText(reach),
        met: isOneEach && load.builds > 0,
        floor: {},
        cpu_ms: { ours: null, peer: null },
        notes: [
          `${rowsPerMinute} rows created in a minute: ${events.length} events, ${started.size} of them started, ${runs.size} runs`,
          `beside them ${load.accepted} of ${load.offered} submitted runs accepted, ${load.builds} builds`,
          machine(),
        ],
      },
    ]
  } finally {
    calls.close()
  }
}

async function declare({ client, chatroomId, taskVersionId }: BenchJob): Promise<Target> {
  const { company_id } = await client.call(allRoutes.readMe)
  const fields = [{ name: 'number', type: 'integer' as const }]
  const table = await client.call(allRoutes.createTable, {
    body: { name: 'bench', fields, owner_scope: 'company', owner_id: company_id },
  })
  const trigger = await client.call(allRoutes.createTableTrigger, {
    params: { id: table.id },
    body: { name: 'bench', events: ['create'], chatroom_id: chatroomId, task_version_id: taskVersionId },
  })
  return { tableId: table.id, triggerId: trigger.id }
}

/** By the clock: a row that is answered late delays none after it. */
async function createRows({ client }: BenchJob, { tableId }: Target): Promise<void> {
  const answers: Promise<unknown>[] = []
  const startedAt = performance.now()
  for (let number = 0; number < rowsPerMinute; number += 1) {
    const created = client.call(allRoutes.createRow, {
      params: { id: tableId },
      idempotencyKey: randomUUID(),
      body: { values: { number } },
    })
    created.catch(() => undefined)
    answers.push(created)
    await sleep(Math.max(0, startedAt + ((number + 1) * minuteMs) / rowsPerMinute - performance.now()))
  }
  await Promise.all(answers)
}

/** The events of the trigger once none waits. */
async function handledEvents({ client }: BenchJob, { triggerId }: Target): Promise<TriggerEvent[]> {
  const params = { id: triggerId }
  for (const startedAt = performance.now(); ; await sleep(pollMs)) {
    const waiting = await client.call(allRoutes.listTriggerEvents, { params, query: { status: 'waiting' } })
    if (waiting.items.length === 0) break
    if (performance.now() - startedAt > drainMs) throw new Error('row events wait after five minutes')
  }
  return allPages((query) => client.call(allRoutes.listTriggerEvents, { params, query }))
}

/** Ids of all runs that a trigger started, by the list of runs. */
async function triggeredRuns({ client, chatroomId }: BenchJob): Promise<Set<string>> {
  const runs = await allPages((query) =>
    client.call(allRoutes.listRuns, { params: { cid: chatroomId }, query }),
  )
  return new Set(runs.filter((run) => run.submission_source === 'custom_table_trigger').map(({ id }) => id))
}
