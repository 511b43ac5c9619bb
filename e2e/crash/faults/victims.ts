import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SeededRandom } from '../../../server/base/seeded-random.ts'
import { childOf, type OwnService } from '../../main-job/service.ts'
import { orEmpty, runOfSandbox, sandboxFolders } from '../checks/sandbox-names.ts'

export const victimKinds = ['api', 'worker', 'agent', 'postgres', 'shim', 'runtime', 'job'] as const
export type VictimKind = (typeof victimKinds)[number]

export interface Victim {
  pid: number
  /** The run that the process belongs to; undefined for processes of the service. */
  runId: string | undefined
}

/** A live process of that kind; undefined if there is none. */
export async function findVictim(
  service: OwnService,
  kind: VictimKind,
  draw: SeededRandom,
): Promise<Victim | undefined> {
  if (kind === 'postgres') return sharedProcess(await postgresProcess(service.dataDir, draw))
  if (kind === 'api' || kind === 'worker' || kind === 'agent')
    return sharedProcess(await childOf(service.pid, kind))
  // Processes of warm sandboxes are not killed, except the runtime: it mostly runs while warm sandboxes are made.
  const among = kind === 'runtime' ? sandboxProcesses(service.dataDir) : runProcesses(service.dataDir)
  const found = among.filter((process) => process.kind === kind)
  return found.length === 0 ? undefined : draw.of(found)
}

const sharedProcess = (pid: number | undefined): Victim | undefined =>
  pid === undefined ? undefined : { pid, runId: undefined }

/** The postmaster or one of its children: the death of any of them ends every connection. */
async function postgresProcess(dataDir: string, draw: SeededRandom): Promise<number | undefined> {
  const file = await readFile(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').catch(() => '')
  const postmaster = Number(file.split('\n')[0])
  if (!postmaster) return undefined
  if (draw.chance(0.5)) return postmaster
  const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').catch(() => '')
  const pids = children.split(' ').map(Number).filter(Boolean)
  return pids.length === 0 ? postmaster : draw.of(pids)
}

interface SandboxProcess extends Victim {
  kind: 'shim' | 'runtime' | 'job'
}

const runtimes = new Set(['crun', 'launcher'])

/** Every process of a run's sandbox. */
export const runProcesses = (dataDir: string): SandboxProcess[] =>
  sandboxProcesses(dataDir).filter(({ runId }) => runId !== undefined)

/**
 * Every process of a sandbox: shims and runtimes have its folder as working directory, all others are in its control group.
 * Read synchronously, since a runtime lives for milliseconds.
 */
function sandboxProcesses(dataDir: string): SandboxProcess[] {
  const folders = sandboxFolders(dataDir)
  const found: SandboxProcess[] = []
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (!Number.isInteger(pid) || isZombie(pid)) continue
    const program = programOf(pid)
    const group = controlGroupOf(pid)
    const kind = program === 'shim' ? 'shim' : runtimes.has(program) ? 'runtime' : undefined
    if (!kind) {
      // Another service on this machine has sandboxes of the same names' form.
      if (group && existsSync(join(folders, group)))
        found.push({ kind: 'job', pid, runId: runOfSandbox(dataDir, group) })
      continue
    }
    const folder = orEmpty(() => readlinkSync(`/proc/${pid}/cwd`))
    if (dirname(folder) !== folders) continue
    found.push({ kind, pid, runId: runOfSandbox(dataDir, basename(folder)) })
  }
  return found
}

/** The process's `comm`: the runtime is started from a file without a path, so its executable has no name. */
const programOf = (pid: number): string => orEmpty(() => readFileSync(`/proc/${pid}/comm`, 'utf8')).trim()

/** An ended process that init has not reaped yet. */
function isZombie(pid: number): boolean {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'latin1'))
  return stat.slice(stat.lastIndexOf(')')).startsWith(') Z 1 ')
}

/** The name of the sandbox whose group it is. */
function controlGroupOf(pid: number): string {
  const text = orEmpty(() => readFileSync(`/proc/${pid}/cgroup`, 'utf8'))
  const names = text.split('\n').map((line) => basename(line))
  return names.find((name) => /^(run|warm)_/.test(name)) ?? ''
}
