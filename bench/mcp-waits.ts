import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../server/postgres/free-port.ts'
import type { LoadRequest } from './harness/load/load.ts'
import { insertQueuedRuns } from './harness/load/queued-runs.ts'
import { offerTools, toolCall } from './harness/load/tool-calls.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { collectGarbage, inspectable } from './harness/measure/collect-garbage.ts'
import { rounded } from './harness/measure/percentile.ts'
import { treeMemory } from './harness/measure/process-memory.ts'
import { type OwnApi, startApi } from './harness/service/own-api.ts'
import { startDatabase } from './harness/service/own-database.ts'

const waits = 1000
const companies = 64
const limitMiB = 50
const MiB = 1024 ** 2
/** The requests are over by then, and what they left is released. */
const settleMs = 15_000

/** Memory of idle calls that wait over MCP; docs in bench/README.md. */
export const mcpWaits: Benchmark = {
  name: 'mcp-waits',
  about: 'memory of a thousand calls over MCP that wait for jobs',
  run: async ({ say }) => {
    say('mcp-waits: starting a database and the API')
    const database = await startDatabase(2)
    try {
      const inspectPort = await freePort()
      const api = await startApi(database, companies, inspectable(inspectPort))
      try {
        await offerTools(database.db, api.tenants)
        await insertQueuedRuns(database.db, api.tenants, waits)
        const runs = await database.db.selectFrom('runs').select(['id', 'chatroom_id']).execute()
        const mib = await measure({ api, inspectPort, runs }, say)
        return [
          {
            name: 'mcp-waits',
            ours: null,
            mib,
            peer: `${limitMiB} MiB`,
            peer_ms: null,
            ratio: rounded(mib / limitMiB),
            reach: 'at most 1 x',
            met: mib <= limitMiB,
            floor: {},
            cpu_ms: { ours: null, peer: null },
            notes: [
              `${waits} calls of sandbox_job_status with wait_seconds 60 and a progress token, of ${companies} companies, each on its own connection`,
              `mib: what the API process takes more than before, ${settleMs / 1000} s after they began to wait, each time after its garbage was collected; before them, as many calls that do not wait on as many connections`,
            ],
          },
        ]
      } finally {
        await api.stop()
      }
    } finally {
      await database.stop()
    }
  },
}

async function measure(
  {
    api,
    inspectPort,
    runs,
  }: { api: OwnApi; inspectPort: number; runs: readonly { id: string; chatroom_id: string }[] },
  say: (line: string) => void,
): Promise<number> {
  const calls = (seconds: number) =>
    runs.map(({ id, chatroom_id }) => {
      const tenant = api.tenants.find(({ roomIds }) => roomIds.includes(chatroom_id))
      if (!tenant) throw new Error('a run is in no room')
      return toolCall(tenant, 'sandbox_job_status', { run_id: id, wait_seconds: seconds }, 'progress')
    })
  const used = async () => {
    await collectGarbage(inspectPort)
    return (await treeMemory(api.pid)).reduce((sum, { pssBytes }) => sum + pssBytes, 0)
  }
  say('mcp-waits: calls that do not wait')
  await Promise.all(await sendAll(api.port, calls(0)))
  await sleep(settleMs)
  const before = await used()
  say(`mcp-waits: ${waits} calls that wait`)
  const waiting = await sendAll(api.port, calls(60))
  const answered = Promise.race(waiting).then(() => 'answered')
  if ((await Promise.race([answered, sleep(settleMs)])) === 'answered') throw new Error('a call did not wait')
  const after = await used()
  await Promise.all(waiting)
  return rounded((after - before) / MiB)
}

/** Sends each request on a connection of its own; returns the ends of their answers. */
async function sendAll(port: number, requests: readonly LoadRequest[]): Promise<Promise<unknown>[]> {
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY })
  const ends: Promise<unknown>[] = []
  for (const { method, path, headers, body = '' } of requests) {
    const sent = request({
      agent,
      port,
      host: '127.0.0.1',
      method,
      path,
      headers: { ...headers, 'content-type': 'application/json' },
    })
    sent.end(body)
    ends.push(
      once(sent, 'response').then(async ([answer]) => {
        if (answer.statusCode !== 200) throw new Error(`a call was answered with ${answer.statusCode}`)
        await once(answer.resume(), 'end')
      }),
    )
    await sleep(2)
  }
  return ends
}
