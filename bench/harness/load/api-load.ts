import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchOptions } from '../measure/benchmark.ts'
import { machineNote } from '../measure/machine-note.ts'
import { treeCpuMs } from '../measure/process-cpu.ts'
import { type MeasuredRate, rateRowOf } from '../measure/rate-row.ts'
import { byTurns } from '../measure/rounds.ts'
import type { Reach, Row } from '../measure/row.ts'
import type { NodeServer } from '../service/node-server.ts'
import { type OwnApi, startApi } from '../service/own-api.ts'
import { type OwnDatabase, startDatabase } from '../service/own-database.ts'
import { buildLoad, type LoadRequest, type LoadResult, putUnderLoad } from './load.ts'

export interface ApiLoad {
  name: string
  /** Number of companies, each with a room, a member, a key and a task. */
  tenants: number
  /** The requests that are sent to the API; called once. */
  requests(database: OwnDatabase, api: OwnApi): Promise<LoadRequest[]>
  /** Removes what a round created. */
  afterRound?(database: OwnDatabase): Promise<void>
  /** One row each. */
  peers: ApiPeer[]
  notes: string[]
}

export interface ApiPeer {
  /** Of its row. */
  row: string
  name: string
  reach: Reach
  start(database: OwnDatabase): Promise<NodeServer>
  /** One for each connection, in turn. `ours`: the requests that are sent to the API. */
  requests(ours: readonly LoadRequest[]): LoadRequest[]
  notes: string[]
}

export const connections = 64
const roundMs = 2000
const warmupMs = 3000
/** A round is thousands of requests: more rounds add no information. */
const roundsMax = 7

/** Puts the API and its peers under load by turns in each round, and compares the rates. */
export async function measureApi(load: ApiLoad, options: BenchOptions): Promise<Row[]> {
  const work = await mkdtemp(join(tmpdir(), `bench-${load.name}-`))
  const open: (() => Promise<void>)[] = [() => rm(work, { recursive: true, force: true })]
  try {
    options.say(`${load.name}: starting a database, the API and ${load.peers.length} peers`)
    const database = await startDatabase(2)
    open.push(() => database.stop())
    const api = await startApi(database, load.tenants)
    open.push(() => api.stop())
    const requests = await load.requests(database, api)
    const ours = subjectOf(api, requests)
    const peers: ComparedPeer[] = []
    for (const peer of load.peers) {
      const server = await peer.start(database)
      open.push(() => server.stop())
      peers.push({ peer, subject: subjectOf(server, peer.requests(requests)) })
    }
    return await compare(load, { ours, peers, database, generator: await buildLoad(work), options })
  } finally {
    for (const close of open.reverse()) await close()
  }
}

interface Subject extends MeasuredRate {
  server: NodeServer
  requests: LoadRequest[]
  results: LoadResult[]
  cpuMs: number
}

const subjectOf = (server: NodeServer, requests: LoadRequest[]): Subject => ({
  server,
  requests,
  results: [],
  cpuMs: 0,
})

interface ComparedPeer {
  peer: ApiPeer
  subject: Subject
}

interface Measuring {
  ours: Subject
  peers: ComparedPeer[]
  database: OwnDatabase
  generator: string
  options: BenchOptions
}

async function compare(load: ApiLoad, measuring: Measuring): Promise<Row[]> {
  const { ours, peers, options } = measuring
  const rounds = Math.min(options.rounds, roundsMax)
  const subjects = [ours, ...peers.map(({ subject }) => subject)]
  for (const subject of subjects) await putUnder(load, measuring, { subject, durationMs: warmupMs })
  const machine = machineNote()
  const onRound = (round: number) => options.say(`${load.name}: round ${round + 1} of ${rounds}`)
  await byTurns(subjects, { rounds, warmups: 0, onRound }, async (subject) => {
    const { result, cpuMs } = await putUnder(load, measuring, { subject, durationMs: roundMs })
    subject.results.push(result)
    subject.cpuMs += cpuMs
  })
  const rules = `${connections} connections with one active request each, ${rounds} rounds of ${roundMs / 1000} s each by turns, sent by a separate process`
  return peers.map(({ peer: { row, name, reach, notes }, subject }) =>
    rateRowOf({
      name: row,
      ours,
      peer: { name, reach, measured: subject },
      notes: [rules, ...load.notes, ...notes, machine()],
    }),
  )
}

async function putUnder(
  load: ApiLoad,
  { database, generator }: Measuring,
  { subject, durationMs }: { subject: Subject; durationMs: number },
): Promise<{ result: LoadResult; cpuMs: number }> {
  const { server, requests } = subject
  const used = async () => (await treeCpuMs(server.pid)) + (await treeCpuMs(database.pid))
  const before = await used()
  const result = await putUnderLoad({ load: generator, port: server.port, connections, durationMs, requests })
  const cpuMs = (await used()) - before
  await load.afterRound?.(database)
  return { result, cpuMs }
}
