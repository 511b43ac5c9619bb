import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { compareJobs } from './harness/measure/compare-jobs.ts'
import { makeJob, noOp } from './harness/sandbox/bench-job.ts'
import { type BenchService, startService } from './harness/service/service.ts'

/** A traced run may take this much of one that is not. */
const reach = { atMost: 1.03 }

/** Time that tracing adds to a run; docs in bench/README.md. */
export const traceCost: Benchmark = {
  name: 'trace-cost',
  about: 'submit to terminal of a run that is traced, against the same that is not',
  run: async (options) => {
    const collector = await startCollector()
    const services: BenchService[] = []
    const started = async (name: string, settings = {}) => {
      const service = await startService(settings)
      services.push(service)
      return { name, job: await makeJob(service, noOp), baseUrl: service.baseUrl }
    }
    try {
      options.say('trace-cost: starting two services')
      const ours = await started('traced', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
      const peer = await started('not traced')
      const note = 'each in its own service; the collector is in the process that measures'
      const rows = await compareJobs({ name: 'trace-cost', ours, peer, reach, warmups: 50, note }, options)
      if (collector.bytes() === 0) throw new Error('the collector received nothing')
      return rows
    } finally {
      for (const service of services) await service.stop()
      collector.close()
    }
  },
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
