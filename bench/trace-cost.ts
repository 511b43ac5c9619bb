import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RunTimer } from './harness/load/submit-and-wait.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { interleaved, type Subject } from './harness/measure/rounds.ts'
import { type Row, rowOf } from './harness/measure/row.ts'
import { makeJob, noOp } from './harness/sandbox/bench-job.ts'
import { type BenchService, startService } from './harness/service/service.ts'

const warmups = 50
const restMs = 40
const pollMs = 1
/** A traced run may take this much of one that is not. */
const reach = { atMost: 1.03 }
const traced = 'traced'
const untraced = 'not traced'

/** Time that tracing adds to a run; docs in bench/README.md. */
export const traceCost: Benchmark = {
  name: 'trace-cost',
  about: 'submit to terminal of a run that is traced, against the same that is not',
  run: async (options) => {
    const collector = await startCollector()
    const services: BenchService[] = []
    try {
      options.say('trace-cost: starting two services')
      services.push(await startService({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }))
      services.push(await startService())
      const rows = await measure(options, services)
      if (collector.bytes() === 0) throw new Error('the collector received nothing')
      return rows
    } finally {
      for (const service of services) await service.stop()
      collector.close()
    }
  },
}

async function measure({ rounds, say }: BenchOptions, services: readonly BenchService[]): Promise<Row[]> {
  const sides: (Subject & { close: () => void })[] = []
  try {
    for (const [index, service] of services.entries()) {
      const timer = new RunTimer(await makeJob(service, noOp), { baseUrl: service.baseUrl, pollMs })
      const name = index === 0 ? traced : untraced
      sides.push({ name, once: async () => (await timer.once(0)).totalMs, close: () => timer.close() })
    }
    const machine = machineNote()
    const onRound = (round: number) => round % 20 === 0 && say(`round ${round} of ${rounds}`)
    const samples = await interleaved(sides, { rounds, warmups, restMs, onRound })
    const measured = (name: string) => ({ samplesMs: samples.get(name) ?? [], cpuMs: null })
    return [
      rowOf({
        name: 'trace-cost',
        ours: measured(traced),
        peer: { name: `the same ${untraced}`, measured: measured(untraced), reach, notes: [] },
        floor: {},
        notes: ['each in its own service; the collector is in the process that measures', machine()],
      }),
    ]
  } finally {
    for (const { close } of sides) close()
  }
}

/** Takes everything, and looks at nothing. */
async function startCollector() {
  let bytes = 0
  const server = createServer((request, response) => {
    request.on('data', (part: Buffer) => {
      bytes += part.length
    })
    request.on('end', () => response.end('{}'))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bytes: () => bytes,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
