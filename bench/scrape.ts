import { randomBytes } from 'node:crypto'
import '../server/builds/chain/build-metrics.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { countRequest } from '../server/http/requests/request-metrics.ts'
import '../server/notifications/delivery-metrics.ts'
import { MetricsPage } from '../server/operations/metrics/metrics-page.ts'
import { saveReport } from '../server/operations/metrics/metrics-report-store.ts'
import { measureProcess, ownMetrics } from '../server/operations/metrics/own-metrics.ts'
import { readServiceFigures } from '../server/operations/metrics/service-figures-store.ts'
import '../server/runs/model/run-metrics.ts'
import { insertQueuedRuns, settle } from './harness/load/queued-runs.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { percentile, rounded } from './harness/measure/percentile.ts'
import { figuresOf, type Row } from './harness/measure/row.ts'
import { startDatabase } from './harness/service/own-database.ts'
import { makeTenants } from './harness/service/tenants.ts'

const companies = 1000
const runs = 200_000
const limitMs = 50
const limitBytes = 2 ** 20

/** A scrape of the metrics of a service with a long queue of many companies; docs in bench/README.md. */
export const scrape: Benchmark = {
  name: 'scrape',
  about: `the page of metrics with ${companies} companies and ${runs} queued runs`,
  run: async ({ rounds, say }) => {
    const database = await startDatabase(2)
    const { db } = database
    try {
      say(`scrape: queueing ${runs} runs of ${companies} companies`)
      const tenants = await makeTenants(db, { companies, roomsEach: 1, pepper: randomBytes(32) })
      await insertQueuedRuns(db, tenants, runs)
      await settle(db)
      measureProcess('api')
      // Each route has been called with each class of status.
      for (const { method, path } of Object.values(allRoutes))
        for (const status of [200, 404, 500]) countRequest({ method, route: path, status, ms: 100 })
      const own = JSON.stringify((await ownMetrics()).filter(({ name }) => !name.startsWith('sandbox_http')))
      for (const process of ['worker', 'builds'] as const)
        await saveReport(
          db,
          { executor: '1'.repeat(32), process },
          JSON.parse(own.replaceAll('"process":"api"', `"process":"${process}"`)),
        )
      const machine = machineNote()
      const samplesMs: number[] = []
      const figuresMs: number[] = []
      let bytes = 0
      say(`scrape: ${rounds} rounds`)
      for (let round = 0; round < rounds; round += 1) {
        const startedAt = performance.now()
        // A page that was made before would be given again.
        const { text } = await new MetricsPage(db).read()
        const readAt = performance.now()
        samplesMs.push(readAt - startedAt)
        bytes = Buffer.byteLength(text)
        const { queued_alone: queued } = await readServiceFigures(db)
        figuresMs.push(performance.now() - readAt)
        if (queued !== runs) throw new Error(`${queued} queued runs were counted`)
      }
      return [rowOf({ samplesMs, figuresMs, bytes }, machine())]
    } finally {
      await database.stop()
    }
  },
}

interface Measured {
  samplesMs: number[]
  figuresMs: number[]
  bytes: number
}

function rowOf({ samplesMs, figuresMs, bytes }: Measured, machine: string): Row {
  const ours = figuresOf(samplesMs)
  return {
    name: 'scrape',
    ours,
    peer: `${limitMs} ms and ${limitBytes} bytes`,
    peer_ms: limitMs,
    ratio: rounded(ours.p50_ms / limitMs),
    reach: 'at most 1 x',
    met: ours.p50_ms <= limitMs && bytes <= limitBytes,
    floor: {},
    cpu_ms: { ours: null, peer: null },
    notes: [
      `scrape: ${bytes} bytes; every route has been called with every class of status`,
      `the worker counts the queue every five seconds in ${rounded(percentile(figuresMs, 0.5))} ms, which no scrape waits for`,
      machine,
    ],
  }
}
