import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExecutorRefused } from '../port/errors.ts'
import type { SandboxLimits } from '../port/sandbox-spec.ts'
import type { CgroupLayout } from './cgroup-layout.ts'
import { prepareShimCgroups, removeShimCgroups, shimCgroups } from './shim-cgroups.ts'

/** Folders and files that the shim makes, sets and reads for one sandbox. Paths are absolute. */
export interface CgroupPlan {
  folders: string[]
  /** The one of the folders that the sandbox may read. */
  shown?: string
  settings: { slug: string; path: string; value: string }[]
  counters: { name: string; divisor: number; path: string; key: string }[]
  /** `major:minor` of devices that the shim's BPF filter permits; empty if settings limit devices. */
  devices: string[]
  /** File to change the sandbox's processors while it lives; absent: it may use all. */
  cpusPath?: string
  /** File and initial value of the sandbox's weight while processors are short. */
  weight: { path: string; value: number }
  /** Lists the processes of the sandbox. */
  procs: string
}

/**
 * Makes the group `parent`, which contains the groups of all sandboxes. It limits them to `memoryBytes` together, so the kernel
 * kills sandboxes, and not other processes of the machine.
 */
export async function prepareCgroups(
  layout: CgroupLayout,
  parent: string,
  memoryBytes: number,
): Promise<void> {
  try {
    for (const folder of rootsOf(layout)) await mkdir(join(folder, parent), { recursive: true })
    if (layout.version === 1) {
      if (layout.cpuset) await prepareCpuset(layout.cpuset, join(layout.cpuset, parent))
      await boundVersion1(join(layout.memory, parent), memoryBytes + warmBytes)
    } else {
      for (const folder of [layout.root, join(layout.root, parent)]) {
        const control = `+memory +cpu +pids${layout.cpuset ? ' +cpuset' : ''}`
        await writeFile(join(folder, 'cgroup.subtree_control'), control)
      }
      await boundVersion2(join(layout.root, parent), memoryBytes + warmBytes)
    }
    await prepareShimCgroups(layout, parent)
  } catch (error) {
    throw new ExecutorRefused('cgroups', `the control group ${parent} cannot be made: ${String(error)}`)
  }
}

/** Memory above the sandboxes' limits, for warm sandboxes. */
const warmBytes = 64 * 1024 * 1024

/** Sets the limits of memory and of memory with swap; the second must never be below the first. If more is in use, the old limits stay. */
async function boundVersion1(folder: string, bytes: number): Promise<void> {
  const names = ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes']
  const isRaised = Number(await readFile(join(folder, 'memory.memsw.limit_in_bytes'), 'utf8')) < bytes
  for (const name of isRaised ? names.toReversed() : names) {
    const isBusy = await writeFile(join(folder, name), String(bytes)).then(() => false, isInUse)
    if (isBusy) return
  }
}

/** Version 2 would kill at once if the limit were set below the present use, so it is skipped then. */
async function boundVersion2(folder: string, bytes: number): Promise<void> {
  const current = Number(await readFile(join(folder, 'memory.current'), 'utf8'))
  if (current <= bytes) await writeFile(join(folder, 'memory.max'), String(bytes))
}

function isInUse(error: NodeJS.ErrnoException): true {
  if (error.code === 'EBUSY') return true
  throw error
}

/** A group of this controller accepts no process until its processors and memory nodes are set; new groups inherit them. */
async function prepareCpuset(root: string, folder: string): Promise<void> {
  for (const name of ['cpuset.cpus', 'cpuset.mems']) {
    await writeFile(join(folder, name), await readFile(join(root, name), 'utf8'))
  }
  await writeFile(join(folder, 'cgroup.clone_children'), '1')
}

/** Files with the weights of the group of all sandboxes, and of that of all shims. */
export function parentWeightFiles(layout: CgroupLayout, parent: string): string[] {
  const shims = shimCgroups(layout, parent)
  return [join(layout.version === 2 ? layout.root : layout.cpu, parent), shims.folder].map((folder) =>
    join(folder, shims.weight.file),
  )
}

/** Removes the groups of sandboxes and shims that are empty. */
export async function removeCgroups(layout: CgroupLayout, parent: string): Promise<void> {
  for (const folder of rootsOf(layout)) {
    // Fails while sandboxes continue without the agent.
    await rmdir(join(folder, parent)).catch(() => undefined)
  }
  await removeShimCgroups(layout, parent)
}

/** Folders in which the groups of sandboxes are made. */
export const rootsOf = (layout: CgroupLayout): string[] =>
  layout.version === 2
    ? [layout.root]
    : [
        ...new Set([
          layout.pids,
          layout.memory,
          layout.cpu,
          layout.cpuacct,
          layout.devices,
          ...(layout.cpuset ? [layout.cpuset] : []),
        ]),
      ]

/** crun and the sandbox's process 1 are in the groups too. */
const runtimeProcesses = 2
const cpuPeriodUs = 100_000

/** Character devices a program may open: null, zero, full, random, urandom, tty, ptmx and its terminals. */
const allowedDevices = ['1:3', '1:5', '1:7', '1:8', '1:9', '5:0', '5:2', '136:*']

/** Paths of the groups of the sandbox `name`. */
export function cgroupsOf(
  layout: CgroupLayout,
  parent: string,
  name: string,
): Pick<CgroupPlan, 'folders' | 'procs'> {
  return {
    folders: rootsOf(layout).map((root) => join(root, parent, name)),
    procs: join(layout.version === 2 ? layout.root : layout.pids, parent, name, 'cgroup.procs'),
  }
}

/** Groups in which programs look for the limits of their container: those of memory and processors of version 1, or the one of version 2. */
export type ShownGroups = { version: 1; folders: readonly string[] } | { version: 2 }

/** The groups of the sandbox `name` that are in its view. */
export function shownGroups(layout: CgroupLayout, parent: string, name: string): ShownGroups {
  if (layout.version === 2) return { version: 2 }
  const roots = [layout.memory, layout.cpu, layout.cpuacct, ...(layout.cpuset ? [layout.cpuset] : [])]
  return { version: 1, folders: [...new Set(roots)].map((root) => join(root, parent, name)) }
}

/** `cpus`: the initial processors of the sandbox; absent: it may always use all. */
export function planCgroups(
  layout: CgroupLayout,
  parent: string,
  { name, limits, cpus }: { name: string; limits: SandboxLimits; cpus?: number[] | undefined },
): CgroupPlan {
  const limited =
    layout.version === 2
      ? planVersion2(join(layout.root, parent, name), limits)
      : planVersion1(layout, join(parent, name), limits)
  const plan = { ...limited, ...cgroupsOf(layout, parent, name) }
  const cpuset = layout.version === 2 ? layout.cpuset && layout.root : layout.cpuset
  if (!cpus || !cpuset) return plan
  const cpusPath = join(cpuset, parent, name, 'cpuset.cpus')
  const setting = { slug: 'limit_cpus', path: cpusPath, value: cpus.join() }
  return { ...plan, settings: [...plan.settings, setting], cpusPath }
}

type Limited = Omit<CgroupPlan, 'folders' | 'procs'>

function planVersion1(layout: CgroupLayout & { version: 1 }, name: string, limits: SandboxLimits): Limited {
  const memory = join(layout.memory, name)
  const pids = join(layout.pids, name)
  const cpu = join(layout.cpu, name)
  const bytes = String(limits.memoryBytes)
  // While processors are short, shares are proportional to the promised vcpu.
  const weight = { path: join(cpu, 'cpu.shares'), value: Math.round(limits.vcpu * 1024) }
  const settings = [
    { slug: 'limit_memory', path: join(memory, 'memory.limit_in_bytes'), value: bytes },
    { slug: 'limit_swap', path: join(memory, 'memory.memsw.limit_in_bytes'), value: bytes },
    // Version 1 counts TCP buffers apart, so they get a bound of their own.
    {
      slug: 'limit_tcp',
      path: join(memory, 'memory.kmem.tcp.limit_in_bytes'),
      value: String(Math.floor(limits.memoryBytes / 8)),
    },
    { slug: 'limit_cpu', path: join(cpu, 'cpu.cfs_period_us'), value: String(cpuPeriodUs) },
    {
      slug: 'limit_cpu',
      path: join(cpu, 'cpu.cfs_quota_us'),
      value: String(Math.round(limits.vcpu * cpuPeriodUs)),
    },
    { slug: 'limit_cpu', path: weight.path, value: String(weight.value) },
    { slug: 'limit_pids', path: join(pids, 'pids.max'), value: String(limits.pids + runtimeProcesses) },
  ]
  const devices = join(layout.devices, name)
  settings.push({ slug: 'limit_devices', path: join(devices, 'devices.deny'), value: 'a' })
  for (const device of allowedDevices) {
    const value = `c ${device} rw`
    settings.push({ slug: 'limit_devices', path: join(devices, 'devices.allow'), value })
  }
  return {
    settings,
    weight,
    devices: [],
    counters: [
      { name: 'oom_kills', divisor: 1, path: join(memory, 'memory.oom_control'), key: 'oom_kill' },
      { name: 'pids_hits', divisor: 1, path: join(pids, 'pids.events'), key: 'max' },
      { name: 'peak_memory', divisor: 1, path: join(memory, 'memory.max_usage_in_bytes'), key: '-' },
      { name: 'cpu_ms', divisor: 1_000_000, path: join(layout.cpuacct, name, 'cpuacct.usage'), key: '-' },
    ],
  }
}

function planVersion2(folder: string, limits: SandboxLimits): Limited {
  // Ten times the kernel's own scale, since a weight is divided while the sandbox lives.
  const value = Math.min(10_000, Math.round(limits.vcpu * 1000))
  const weight = { path: join(folder, 'cpu.weight'), value }
  return {
    shown: folder,
    weight,
    settings: [
      { slug: 'limit_memory', path: join(folder, 'memory.max'), value: String(limits.memoryBytes) },
      { slug: 'limit_swap', path: join(folder, 'memory.swap.max'), value: '0' },
      {
        slug: 'limit_cpu',
        path: join(folder, 'cpu.max'),
        value: `${Math.round(limits.vcpu * cpuPeriodUs)} ${cpuPeriodUs}`,
      },
      { slug: 'limit_cpu', path: weight.path, value: String(weight.value) },
      { slug: 'limit_pids', path: join(folder, 'pids.max'), value: String(limits.pids + runtimeProcesses) },
    ],
    devices: allowedDevices,
    counters: [
      { name: 'oom_kills', divisor: 1, path: join(folder, 'memory.events'), key: 'oom_kill' },
      { name: 'pids_hits', divisor: 1, path: join(folder, 'pids.events'), key: 'max' },
      { name: 'peak_memory', divisor: 1, path: join(folder, 'memory.peak'), key: '-' },
      { name: 'cpu_ms', divisor: 1000, path: join(folder, 'cpu.stat'), key: 'usage_usec' },
    ],
  }
}

/** A file of one number, or of lines `key number`; undefined once the group is gone. */
export async function readCounter({
  path,
  key,
  divisor,
}: CgroupPlan['counters'][number]): Promise<number | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  const line = text?.split('\n').find((line) => key === '-' || line.startsWith(`${key} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1)) / divisor
}
