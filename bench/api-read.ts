import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { connections, measureApi } from './harness/load/api-load.ts'
import { insertEndedRuns } from './harness/load/queued-runs.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { apiDatabaseConnections } from './harness/service/own-api.ts'
import { startHello, startSelect } from './peers/fastify.ts'

/** Reads of a run, compared with a minimal Node server; docs in bench/README.md. */
export const apiRead: Benchmark = {
  name: 'api-read',
  about: 'reading a run over 64 connections, against a bare Fastify server and one with a select',
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
        peers: [
          {
            row: 'api-read',
            name: 'Fastify hello',
            reach: { atLeast: 0.5 },
            start: startHello,
            requests: () => Array(connections).fill({ method: 'GET', path: '/', headers: {} }),
            notes: [
              'peer: the same version of Fastify in a separate process, without a database, returns a constant',
            ],
          },
          {
            row: 'api-read-select',
            name: 'Fastify, one select',
            reach: { atLeast: 0.9 },
            start: ({ url }) => startSelect(url, apiDatabaseConnections),
            requests: (ours) =>
              ours.map(({ path }) => ({
                method: 'GET',
                path: `/runs/${path.split('/').at(-1)}`,
                headers: {},
              })),
            notes: [
              `peer: the same version of Fastify, the row of the same run by one prepared select through as many connections (${apiDatabaseConnections}), for anybody`,
            ],
          },
        ],
        notes: [
          'ours: each connection reads a completed run of another company, by API key; each request reads the caller and their permissions again',
        ],
      },
      options,
    ),
}
