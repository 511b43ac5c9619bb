import { existsSync, lstatSync, readdirSync, rmSync, type Stats } from 'node:fs'
import { readFile, rm, rmdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, sleep } from '../../server/base/clock.ts'
import type { CgroupLayout } from '../host/cgroup-layout.ts'
import { type CgroupPlan, cgroupsOf, planCgroups, readCounter } from '../host/cgroups.ts'
import type { SandboxExit } from '../port/sandbox-exit.ts'
import { measureLog } from './records/bounded-log.ts'
import { type PostMortem, readExit, writeLostRecord } from './records/exit-record.ts'
import type { StartRecord } from './records/start-record.ts'

export interface ResidueOptions {
  cgroups: CgroupLayout
  cgroupParent: string
  clock: Clock
}

/** The folder of a sandbox, and the name of that folder and of its control groups. */
interface SandboxLocation {
  name: string
  folder: string
}

/** Residue of ended sandboxes on the host: reads their results and removes what is left. */
export class Residue {
  readonly #options: ResidueOptions

  constructor(options: ResidueOptions) {
    this.#options = options
  }

  /** The exit record that the shim wrote. If the shim died without one, this writes a record with the cause `lost`. */
  async record(startRecord: StartRecord, folder: string): Promise<SandboxExit | undefined> {
    const exit = readExit(folder, startRecord.spec)
    if (exit) return exit
    const postMortem = await this.#postMortem(startRecord, folder)
    await this.#endGroups(startRecord.name)
    await writeLostRecord(folder, postMortem)
    return readExit(folder, startRecord.spec)
  }

  /**
   * Removes what is unused once the shim is gone: the disk file, and the control groups of a killed shim. Usually neither
   * exists, and checking is cheaper than a failing removal.
   */
  async sweep({ name, folder }: SandboxLocation): Promise<void> {
    await this.#endGroups(name)
    const disk = join(folder, 'disk.img')
    if (existsSync(disk)) await rm(disk, { force: true })
  }

  /** Removes all residue of a sandbox. Only the agent can write there, and removal does not follow symlinks. */
  async clear(location: SandboxLocation): Promise<void> {
    await this.sweep(location)
    await this.removeFolder(location.folder)
  }

  /**
   * A handful of files, some of them empty: removing those synchronously is faster than a thread switch. Files with content
   * are removed in parallel, because a disk may take long to free their blocks.
   */
  async removeFolder(folder: string): Promise<void> {
    if (!existsSync(folder)) return
    const full = readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => holdsSomething(lstatSync(path, { throwIfNoEntry: false })))
    await Promise.all(full.map((path) => unlink(path).catch(ifMissing)))
    rmSync(folder, { recursive: true, force: true })
  }

  async #postMortem({ name, spec: { limits } }: StartRecord, folder: string): Promise<PostMortem> {
    const { cgroups, cgroupParent, clock } = this.#options
    const { counters } = planCgroups(cgroups, cgroupParent, { name, limits })
    const counted = async (wanted: string) => {
      const counter = counters.find(({ name }) => name === wanted)
      return (counter && (await readCounter(counter))) ?? 0
    }
    return {
      now: clock.now(),
      peakMemoryBytes: await counted('peak_memory'),
      cpuMs: await counted('cpu_ms'),
      log: measureLog(folder, limits.logBytes),
    }
  }

  async #endGroups(name: string): Promise<void> {
    const { cgroups, cgroupParent } = this.#options
    const plan = cgroupsOf(cgroups, cgroupParent, name)
    if (plan.folders.some((folder) => existsSync(folder))) await killAndRemoveCgroups(plan, name)
  }
}

/** False for a missing file: a concurrent removal deleted it. */
const holdsSomething = (found: Stats | undefined): boolean => found?.isFile() === true && found.size > 0

function ifMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

const rounds = 1000
const pauseMs = 5

/** Kills every process in a sandbox's control groups and removes the groups. Used when the shim is gone. */
export async function killAndRemoveCgroups(
  plan: Pick<CgroupPlan, 'folders' | 'procs'>,
  name: string,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const text = await readFile(plan.procs, 'utf8').catch(() => '')
    const pids = text.split('\n').filter((line) => line !== '')
    if (pids.length === 0) break
    for (const pid of pids) await killMember(Number(pid), name)
    await sleep(pauseMs)
  }
  for (const folder of plan.folders) await removeGroup(folder)
}

/** The pid may have been reused: only a member of the sandbox's group is killed. */
async function killMember(pid: number, name: string): Promise<void> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
  if (!groups.split('\n').some((line) => line.endsWith(`/${name}`))) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

async function removeGroup(folder: string): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    try {
      await rmdir(folder)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EBUSY') return
      await sleep(pauseMs)
    }
  }
}
