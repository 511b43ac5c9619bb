import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { connections, measureApi } from './harness/load/api-load.ts'
import { freshNumber } from './harness/load/load.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { apiDatabaseConnections } from './harness/service/own-api.ts'
import { startInsert } from './peers/fastify.ts'

/** Submissions of a run, compared with a server that stores a body by one query; docs in bench/README.md. */
export const apiWrite: Benchmark = {
  name: 'api-write',
  about: 'submitting a run over 64 connections, durable, against a Fastify server that makes one insert',
  run: (options) =>
    measureApi(
      {
        name: 'api-write',
        // One company may queue 100 runs; the queue is emptied after each round.
        tenants: 256,
        requests: async (_database, { tenants }) =>
          tenants.map(({ roomIds, apiKey, taskVersionId }) => ({
            method: 'POST',
            path: allRoutes.submitRun.path.replace('{cid}', roomIds.join()),
            headers: { 'x-api-key': apiKey, 'idempotency-key': freshNumber },
            body: JSON.stringify({ task_version_id: taskVersionId, input: {} }),
          })),
        afterRound: async ({ db }) => {
          await db
            .updateTable('runs')
            .set({ state: 'cancelled', terminal_at: new Date() })
            .where('state', '=', 'queued')
            .execute()
        },
        peers: [
          {
            row: 'api-write',
            name: 'Fastify, one insert',
            reach: { atLeast: 1 },
            start: ({ url }) => startInsert(url, apiDatabaseConnections),
            requests: () =>
              Array(connections).fill({
                method: 'POST',
                path: '/',
                headers: {},
                body: JSON.stringify({ number: 1, text: 'one' }),
              }),
            notes: [
              `peer: the same version of Fastify, one insert through as many connections (${apiDatabaseConnections}) to the same Postgres`,
            ],
          },
        ],
        notes: [
          'ours: the API alone, as in a hosted deployment, 256 companies in turn; no worker claims the runs; the queue is emptied between rounds',
        ],
      },
      options,
    ),
}
