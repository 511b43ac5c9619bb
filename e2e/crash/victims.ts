import { readdir, readFile, readlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Draw } from '../../server/base/draw.ts'
import { childOf, type OwnService } from '../main-job/service.ts'
import { runOfSandbox, sandboxFolders } from './sandbox-names.ts'

export const victimKinds = ['api', 'worker', 'agent', 'postgres', 'shim', 'crun', 'job'] as const
export type VictimKind = (typeof victimKinds)[number]

export interface Victim {
  pid: number
  /** The run whose own process it is; undefined for those that serve all of them. */
  runId: string | undefined
}

/** A process of that kind that lives now, undefined when there is none. */
export async function findVictim(
  service: OwnService,
  kind: VictimKind,
  draw: Draw,
): Promise<Victim | undefined> {
  if (kind === 'postgres') return ofAll(await postgresProcess(service.dataDir, draw))
  if (kind === 'api' || kind === 'worker' || kind === 'agent') return ofAll(await childOf(service.pid, kind))
  const found = (await sandboxProcesses(service.dataDir)).filter((process) => process.kind === kind)
  return found.length === 0 ? undefined : draw.of(found)
}

const ofAll = (pid: number | undefined): Victim | undefined =>
  pid === undefined ? undefined : { pid, runId: undefined }

/** The postmaster, or one of its own: the death of any of them ends every connection. */
async function postgresProcess(dataDir: string, draw: Draw): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '')
  const postmaster = Number(file.split('\n')[0])
  if (!postmaster) return undefined
  if (draw.chance(0.5)) return postmaster
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => '')
  const pids = children.split(' ').map(Number).filter(Boolean)
  return pids.length === 0 ? postmaster : draw.of(pids)
}

interface SandboxProcess extends Victim {
  kind: 'shim' | 'crun' | 'job'
  pid: number
}

/** Every process of a run's sandbox: shims work in its folder, everything else is in its control group. */
export async function sandboxProcesses(dataDir: string): Promise<SandboxProcess[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found: SandboxProcess[] = []
  const folders = sandboxFolders(dataDir)
  for (const pid of pids) {
    if (await isOver(pid)) continue
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    const program = basename(await readlink(`/proc/${pid}/exe`).catch(() => ''))
    const group = await controlGroupOf(pid)
    const inGroup = await runOfSandbox(dataDir, group)
    const inFolder = dirname(cwd) === folders ? await runOfSandbox(dataDir, basename(cwd)) : undefined
    if (inFolder && program === 'shim') found.push({ kind: 'shim', pid, runId: inFolder })
    else if (inFolder && program === 'crun') found.push({ kind: 'crun', pid, runId: inFolder })
    else if (inGroup && program !== 'crun' && program !== 'shim')
      found.push({ kind: 'job', pid, runId: inGroup })
  }
  return found
}

/** Has ended, and waits only for the machine's first process to hear of it. */
async function isOver(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
  return stat.slice(stat.lastIndexOf(')')).startsWith(') Z 1 ')
}

/** The name of the sandbox whose group it is. */
async function controlGroupOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
  const names = text.split('\n').map((line) => basename(line))
  return names.find((name) => /^(run|warm)_/.test(name)) ?? ''
}
