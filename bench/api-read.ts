import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { measureApi } from './harness/load/api-load.ts'
import { insertEndedRuns } from './harness/load/queued-runs.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { startHello } from './peers/fastify.ts'

/** Reads of a run, compared with a minimal Node server; docs in bench/README.md. */
export const apiRead: Benchmark = {
  name: 'api-read',
  about: 'reading a run over 64 connections, against a bare Fastify server',
  run: (options) =>
    measureApi(
      {
        name: 'api-read',
        tenants: 64,
        requests: async ({ db }, { tenants }) => {
          const ids = await insertEndedRuns(db, tenants)
          return tenants.map(({ roomIds, apiKey }, at) => ({
            method: 'GET',
            path: allRoutes.readRun.path.replace('{cid}', roomIds.join()).replace('{rid}', ids[at] ?? ''),
            headers: { 'x-api-key': apiKey },
          }))
        },
        peer: {
          name: 'Fastify hello',
          reach: { atLeast: 0.5 },
          start: startHello,
          request: { method: 'GET', path: '/', headers: {} },
        },
        notes: [
          'ours: each connection reads a completed run of another company, by API key; each request reads the caller and their permissions again',
          'peer: the same version of Fastify in a separate process, without a database, returns a constant',
        ],
      },
      options,
    ),
}
