import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { measureApi } from './harness/api-load.ts'
import type { Benchmark } from './harness/benchmark.ts'
import { insertEndedRuns } from './harness/queued-runs.ts'
import { startHello } from './peers/fastify.ts'

/** Reading a run against the least a Node server can do; docs in bench/README.md. */
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
          'ours: a completed run of another company on each connection, by API key; who calls and what they may see is read again for each request',
          'peer: the same version of Fastify in a process of its own, no database, a constant',
        ],
      },
      options,
    ),
}
