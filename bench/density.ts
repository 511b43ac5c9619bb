import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentPaths } from '../agent/host/paths.ts'
import { RunCalls } from './harness/load/run-calls.ts'
import type { Benchmark, BenchOptions } from './harness/measure/benchmark.ts'
import { rounded } from './harness/measure/percentile.ts'
import { type ProcessMemory, treeMemory } from './harness/measure/process-memory.ts'
import type { Row } from './harness/measure/row.ts'
import { makeJob } from './harness/sandbox/bench-job.ts'
import { buildLauncher } from './harness/sandbox/launcher.ts'
import { type BenchService, startService } from './harness/service/service.ts'
import { conmonMemory, type MemoryParts, type MonitorMemory, shimMemory } from './peers/memory-peers.ts'

const MiB = 1024 ** 2
const limitMiB = 3
const jobs = 8
const settleMs = 5000
const startLimitMs = 60_000

/** Memory that an idle running job costs in addition to its own; docs in bench/README.md. */
export const density: Benchmark = {
  name: 'density',
  about: 'memory that the service needs for one idle running job',
  run: async (options) => {
    const work = await mkdtemp(join(tmpdir(), 'bench-density-'))
    try {
      const ours = await ourMemory(options)
      const launcher = await buildLauncher(work)
      const partsIn = (name: string): MemoryParts => ({
        launcher,
        folder: join(work, name),
        count: jobs,
        settleMs,
      })
      const bar = rowOf(ours, `${limitMiB} MiB`, { mib: limitMiB, isBar: true })
      if (!options.peers) return [bar]
      options.say('density: conmon')
      const conmon = await tryMeasure('conmon', () => conmonMemory(partsIn('podman')))
      options.say('density: containerd-shim')
      const shim = await tryMeasure('containerd-shim', () => shimMemory(partsIn('docker')))
      const daemons = 'idle' in shim ? { mib: rounded(sumMiB(shim.idle)) } : shim
      const idle: Ours = { mib: ours.idleMib, notes: [`idle: ${settleMs / 1000} s after the start`] }
      return [
        bar,
        rowOf(ours, 'conmon', conmon),
        rowOf(ours, 'containerd-shim', shim),
        { ...rowOf(idle, 'dockerd and containerd', daemons), name: 'density: idle service' },
      ]
    } finally {
      await rm(work, { recursive: true, force: true })
    }
  },
}

interface Ours {
  mib: number
  notes: string[]
}

async function ourMemory({ say }: BenchOptions): Promise<Ours & { idleMib: number }> {
  say('density: starting a service')
  const service = await startService()
  try {
    await sleep(settleMs)
    const idleMib = rounded(sumMiB(await treeMemory(service.pid)))
    const job = await makeJob(service, 'sleep 120\n')
    const calls = new RunCalls(job, { baseUrl: service.baseUrl, connections: 1 })
    try {
      await startJobs(calls, 1)
      await sleep(settleMs)
      const before = sumMiB(await treeMemory(service.pid))
      await startJobs(calls, jobs)
      await sleep(settleMs)
      const memory = await sandboxMemory(service)
      const grown = sumMiB(await treeMemory(service.pid)) - before
      return {
        idleMib,
        mib: rounded(sumMiB(memory.overhead) / memory.sandboxes),
        notes: [
          `ours: shim and process 1 of ${memory.sandboxes} sandboxes, including warm ones, by proportional set size: ${names(memory.overhead)}`,
          `ours: the shell that waits for the script belongs to the job, ${rounded(sumMiB(memory.ofJobs) / memory.sandboxes)} MiB each; ` +
            `the service with all its processes grew by ${rounded(grown)} MiB with ${jobs} more jobs and warm sandboxes`,
          'kernel memory, such as that of mounts and control groups, is not counted on either side',
        ],
      }
    } finally {
      calls.close()
    }
  } finally {
    await service.stop()
  }
}

async function startJobs(calls: RunCalls, count: number): Promise<void> {
  const waited = new Set<string>()
  for (let started = 0; started < count; started += 1) waited.add((await calls.submit()).id)
  for (const until = Date.now() + startLimitMs; waited.size > 0; await sleep(100)) {
    if (Date.now() > until) throw new Error(`${waited.size} jobs do not start`)
    for (const { id, status } of await calls.newest(count)) {
      if (status === 'running') waited.delete(id)
      else if (status === 'platform_failed' || status === 'customer_failed')
        throw new Error(`run ${id} is ${status}`)
    }
  }
}

interface SandboxMemory {
  sandboxes: number
  overhead: ProcessMemory[]
  ofJobs: ProcessMemory[]
}

/** A shim's working directory is the folder of its sandbox; all processes below the shim belong to that sandbox. */
async function sandboxMemory({ dataDir }: BenchService): Promise<SandboxMemory> {
  const { sandboxes } = agentPaths(dataDir)
  const shims: number[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const folder = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (folder.startsWith(`${sandboxes}/`)) shims.push(Number(name))
  }
  const all = (await Promise.all(shims.map(treeMemory))).flat()
  const isJobs = ({ name }: ProcessMemory) => name === 'busybox' || name === 'sleep'
  return {
    sandboxes: shims.length,
    overhead: all.filter((memory) => !isJobs(memory)),
    ofJobs: all.filter(isJobs),
  }
}

type Measured = { mib: number; isBar?: true } | { failed: string }

type MonitorResult = { mib: number; idle: ProcessMemory[] } | { failed: string }

async function tryMeasure(name: string, measure: () => Promise<MonitorMemory>): Promise<MonitorResult> {
  try {
    const { monitors, idle } = await measure()
    if (monitors.length < jobs) throw new Error(`${monitors.length} of ${jobs} are running`)
    return { mib: rounded(sumMiB(monitors) / monitors.length), idle }
  } catch (error) {
    return { failed: `${name} does not run here: ${error instanceof Error ? error.message : error}` }
  }
}

function rowOf(ours: Ours, peer: string, measured: Measured): Row {
  const theirs = 'mib' in measured ? measured.mib : null
  const isBar = 'isBar' in measured
  return {
    name: 'density',
    ours: null,
    mib: ours.mib,
    peer,
    peer_ms: null,
    ratio: theirs === null ? null : rounded(ours.mib / theirs),
    reach: isBar ? 'at most 1 x' : null,
    met: isBar ? ours.mib <= limitMiB : null,
    floor: {},
    cpu_ms: { ours: null, peer: null },
    notes: [
      ...ours.notes,
      'failed' in measured ? measured.failed : `${peer}: ${theirs} MiB, ours ${ours.mib}`,
    ],
  }
}

const sumMiB = (processes: readonly ProcessMemory[]): number =>
  processes.reduce((sum, { pssBytes }) => sum + pssBytes, 0) / MiB

const names = (processes: readonly ProcessMemory[]): string =>
  [...Map.groupBy(processes, ({ name }) => name)]
    .map(([name, group]) => `${name} (${group.length}) ${sumMiB(group).toFixed(1)}`)
    .join(', ')
