import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import {
  buildLoad,
  freshNumber,
  type LoadRequest,
  type LoadResult,
  putUnderLoad,
} from './harness/load/load.ts'
import { insertEndedRuns } from './harness/load/queued-runs.ts'
import { storeResults } from './harness/load/stored-results.ts'
import { offerTools, toolCall } from './harness/load/tool-calls.ts'
import type { Benchmark } from './harness/measure/benchmark.ts'
import { machineNote } from './harness/measure/machine-note.ts'
import { treeCpuMs } from './harness/measure/process-cpu.ts'
import { type RateResult, rateRowOf } from './harness/measure/rate-row.ts'
import type { Row } from './harness/measure/row.ts'
import { type OwnApi, startApi } from './harness/service/own-api.ts'
import { type OwnDatabase, startDatabase } from './harness/service/own-database.ts'
import type { BenchTenant } from './harness/service/tenants.ts'

const companies = 64
const connections = 16
const roundMs = 2000
const warmupMs = 2000
const roundsMax = 5
/** A tool call may cost this much of the REST calls that it stands for. */
const shareMax = 1.5

interface Pair {
  tool: string
  toolRequests: LoadRequest[]
  rest: string
  /** The calls of each company that return what the tool returns. */
  restRequests: LoadRequest[][]
}

/** Tools over MCP and the REST calls that they stand for; docs in bench/README.md. */
export const toolCalls: Benchmark = {
  name: 'tool-call',
  about: 'calling a tool over MCP, against the REST calls that it stands for',
  run: async ({ rounds, say }) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-tool-call-'))
    say('tool-call: starting a database and the API')
    const database = await startDatabase(2)
    try {
      const api = await startApi(database, companies)
      try {
        const load = await buildLoad(work)
        await offerTools(database.db, api.tenants)
        const rows: Row[] = []
        for (const pair of await pairsOf(database, api)) {
          say(`tool-call: ${pair.tool}`)
          rows.push(await compare(pair, { api, database, load, rounds: Math.min(rounds, roundsMax) }))
        }
        return rows
      } finally {
        await api.stop()
      }
    } finally {
      await database.stop()
      await rm(work, { recursive: true, force: true })
    }
  },
}

async function pairsOf({ db, folder }: OwnDatabase, { tenants }: OwnApi): Promise<Pair[]> {
  const ids = await insertEndedRuns(db, tenants)
  await storeResults({ db, objects: join(folder, 'data', 'objects') }, { tenants, runIds: ids })
  const pathOf = (path: string, { roomIds }: BenchTenant, id = '') =>
    path.replace('{cid}', roomIds.join()).replace('{rid}', id)
  const get = ({ path }: Route): LoadRequest[] =>
    tenants.map((tenant, at) => ({
      method: 'GET',
      path: pathOf(path, tenant, ids[at]),
      headers: { 'x-api-key': tenant.apiKey },
    }))
  const call = (tool: string, parameters: (tenant: BenchTenant, at: number) => Record<string, unknown>) =>
    tenants.map((tenant, at) => toolCall(tenant, tool, parameters(tenant, at)))
  const pair = (
    tool: string,
    toolRequests: LoadRequest[],
    rest: string,
    ...restRequests: LoadRequest[][]
  ) => ({
    tool,
    toolRequests,
    rest,
    restRequests,
  })
  const submitted = tenants.map((tenant) => ({
    method: 'POST' as const,
    path: pathOf(allRoutes.submitRun.path, tenant),
    headers: { 'x-api-key': tenant.apiKey, 'idempotency-key': freshNumber },
    body: JSON.stringify({ task_version_id: tenant.taskVersionId, input: {} }),
  }))
  const submit = call('sandbox_submit_job', ({ taskVersionId }) => ({
    mode: 'request',
    task_version_id: taskVersionId,
    input: {},
  }))
  const { readMenu, listRuns, listProposals, readRun, readRunOutput, listRunArtifacts } = allRoutes
  return [
    pair(
      'sandbox_job_menu',
      call('sandbox_job_menu', () => ({})),
      'GET menu',
      get(readMenu),
    ),
    pair(
      'sandbox_submitted_jobs',
      call('sandbox_submitted_jobs', () => ({})),
      'GET runs, proposals',
      get(listRuns),
      get(listProposals),
    ),
    pair(
      'sandbox_job_status',
      call('sandbox_job_status', (_tenant, at) => ({ run_id: ids[at] })),
      'GET run, output, artifacts',
      get(readRun),
      get(readRunOutput),
      get(listRunArtifacts),
    ),
    pair('sandbox_submit_job', submit, 'POST runs', submitted),
  ]
}

interface Measuring {
  api: OwnApi
  database: OwnDatabase
  load: string
  rounds: number
}

async function compare({ tool, toolRequests, rest, restRequests }: Pair, measuring: Measuring): Promise<Row> {
  const subjectOf = (calls: LoadRequest[][]) => ({ calls, results: [] as RateResult[], cpuMs: 0 })
  const ours = subjectOf([toolRequests])
  const measured = subjectOf(restRequests)
  const subjects = [ours, measured]
  const machine = machineNote()
  for (const { calls } of subjects) await put(measuring, calls, warmupMs)
  for (let round = 0; round < measuring.rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const { result, cpuMs } = await put(measuring, subject.calls, roundMs)
      subject.results.push(result)
      subject.cpuMs += cpuMs
    }
  }
  return rateRowOf({
    name: tool,
    ours,
    peer: { name: rest, reach: { atLeast: 1 / shareMax }, measured },
    notes: [
      `${connections} connections with one active request each, ${measuring.rounds} rounds of ${roundMs / 1000} s each by turns, both to the same API process by API key`,
      machine(),
    ],
  })
}

/** Each connection sends each of the calls equally often; an answer of the result is one to all of them. */
async function put({ api, database, load }: Measuring, calls: LoadRequest[][], durationMs: number) {
  const used = async () => (await treeCpuMs(api.pid)) + (await treeCpuMs(database.pid))
  const before = await used()
  const requests = calls.flat()
  const measured = await putUnderLoad({ load, port: api.port, connections, durationMs, requests })
  const result = perAnswerToAll(measured, calls.length)
  const cpuMs = (await used()) - before
  await database.db
    .updateTable('runs')
    .set({ state: 'cancelled', terminal_at: new Date() })
    .where('state', '=', 'queued')
    .execute()
  return { result, cpuMs }
}

const perAnswerToAll = (result: LoadResult, calls: number): RateResult =>
  calls === 1 ? result : { answers: result.answers / calls, ratePerSecond: result.ratePerSecond / calls }
