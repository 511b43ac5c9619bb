import type { SandboxRuntime } from '../port/sandbox-spec.ts'

/** The machine that a program sees: its own limits instead of the host's size. */
export interface VisibleMachine {
  cpus: number
  memoryBytes: number
}

/** Files of /proc with the host's processors, memory, load and boot parameters. gVisor has its own files, except the memory. */
const filesOf: Record<'host' | 'gvisor', (keyof ProcFiles)[]> = {
  host: ['cgroups', 'cmdline', 'cpuinfo', 'diskstats', 'loadavg', 'meminfo', 'stat', 'vmstat'],
  gvisor: ['meminfo'],
}

/** The files that cover those of the host in a sandbox. */
export const procfsOverlayFiles = (runtime: SandboxRuntime): string[] =>
  filesOf[runtime === 'runsc' ? 'gvisor' : 'host']

type ProcFiles = Record<
  'cgroups' | 'cmdline' | 'cpuinfo' | 'diskstats' | 'loadavg' | 'meminfo' | 'stat' | 'vmstat',
  string
>

/**
 * Static contents of these files: an idle machine of that size. Live figures would need a file system that root serves to
 * hostile programs. `hostCpuinfo` has the kind of processor, by which programs select their code.
 */
export function procFiles({ cpus, memoryBytes }: VisibleMachine, hostCpuinfo: string): ProcFiles {
  const each = <T>(line: (cpu: number) => T) => Array.from({ length: cpus }, (_, cpu) => line(cpu))
  const kib = Math.floor(memoryBytes / 1024)
  return {
    cgroups: groupControllers,
    cmdline: 'quiet\n',
    cpuinfo: each((cpu) => `${cpuinfoBlock(hostCpuinfo, cpu, cpus)}\n\n`).join(''),
    diskstats: '',
    loadavg: '0.00 0.00 0.00 1/1 1\n',
    meminfo: meminfoLines(kib),
    stat: `${['cpu ', ...each((cpu) => `cpu${cpu}`)].map((name) => `${name} 0 0 0 0 0 0 0 0 0 0\n`).join('')}${statTail}`,
    vmstat: `nr_free_pages ${Math.floor(kib / 4)}\npgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n`,
  }
}

/**
 * Files of a control group of both versions, in which Java, Go, Node and others look for the limits of their container. Static as
 * well: the host's own groups say more than the limits, and are no part of the sandbox's view. Used is one page, because Java
 * takes 0 as a failure and asks the host.
 */
export function groupFiles({ cpus, memoryBytes }: VisibleMachine): Record<string, string> {
  const cpuPeriodUs = 100_000
  const cpuQuotaUs = cpus * cpuPeriodUs
  const limit = `${memoryBytes}\n`
  return {
    'cgroup.controllers': 'cpu memory\n',
    'cpu.max': `${cpuQuotaUs} ${cpuPeriodUs}\n`,
    'memory.current': usedMemory,
    'memory.high': 'max\n',
    'memory.max': limit,
    'memory.swap.max': '0\n',
    'cpu.cfs_period_us': `${cpuPeriodUs}\n`,
    'cpu.cfs_quota_us': `${cpuQuotaUs}\n`,
    'memory.limit_in_bytes': limit,
    'memory.memsw.limit_in_bytes': limit,
    'memory.soft_limit_in_bytes': limit,
    'memory.usage_in_bytes': usedMemory,
  }
}

const usedMemory = '4096\n'

/** The shim adds `btime`, which differs per sandbox. */
const statTail = 'intr 0\nctxt 0\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0\n'

/** All of version 2: by the hierarchy 0 programs that know no better decide where they look. */
const groupControllers = ['#subsys_name\thierarchy\tnum_cgroups\tenabled']
  .concat(['cpuset', 'cpu', 'cpuacct', 'memory', 'pids'].map((name) => `${name}\t0\t1\t1`))
  .join('\n')
  .concat('\n')

const emptyMemory = `Buffers Cached SwapCached Active Inactive Active(anon) Inactive(anon) Active(file) Inactive(file)
  Unevictable Mlocked SwapTotal SwapFree Dirty Writeback AnonPages Mapped Shmem Slab SReclaimable SUnreclaim`

function meminfoLines(kib: number): string {
  const line = (name: string, value: number) => `${`${name}:`.padEnd(16)}${String(value).padStart(8)} kB\n`
  const full = ['MemTotal', 'MemFree', 'MemAvailable'].map((name) => line(name, kib))
  return [...full, ...emptyMemory.split(/\s+/).map((name) => line(name, 0))].join('')
}

/** The host's first processor, numbered as one of `cpus` in a single socket. */
function cpuinfoBlock(hostCpuinfo: string, cpu: number, cpus: number): string {
  const own: Record<string, number> = {
    processor: cpu,
    siblings: cpus,
    'core id': cpu,
    'cpu cores': cpus,
    apicid: cpu,
    'initial apicid': cpu,
    'physical id': 0,
  }
  const [first = ''] = hostCpuinfo.split('\n\n')
  return first
    .split('\n')
    .map((line) => {
      const [name = ''] = line.split(':')
      const value = own[name.trim()]
      return value === undefined ? line : `${name}: ${value}`
    })
    .join('\n')
}
