import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { makeRun } from '../server/testing/factories/runs.ts'
import { measureApi } from './harness/api-load.ts'
import type { Benchmark } from './harness/benchmark.ts'
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
        requests: ({ db }, { tenants }) =>
          Promise.all(
            tenants.map(async ({ roomId, apiKey, task }) => {
              const at = new Date()
              const ended = {
                state: 'completed',
                exit_code: 0,
                claimed_at: at,
                started_at: at,
                terminal_at: at,
              }
              const id = await makeRun(db, task, { chatroom_id: roomId, ...ended })
              const path = allRoutes.readRun.path.replace('{cid}', roomId).replace('{rid}', id)
              return { method: 'GET', path, headers: { 'x-api-key': apiKey } }
            }),
          ),
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
