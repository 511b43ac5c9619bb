import type { SandboxRuntime } from '../port.ts'

/** The machine as a program is to see it: what it has, and not what the host has. */
export interface OwnMachine {
  cpus: number
  memoryBytes: number
}

/** Files of /proc that tell of the host's processors, memory and load, and of how it was started. gVisor has its own, but for the memory. */
const filesOf: Record<SandboxRuntime, (keyof ProcFiles)[]> = {
  crun: ['cmdline', 'cpuinfo', 'diskstats', 'loadavg', 'meminfo', 'stat', 'vmstat'],
  runsc: ['meminfo'],
}

/** Those files that are laid over the host's in a sandbox. */
export const ownProcFiles = (runtime: SandboxRuntime): string[] => filesOf[runtime]

type ProcFiles = Record<
  'cmdline' | 'cpuinfo' | 'diskstats' | 'loadavg' | 'meminfo' | 'stat' | 'vmstat',
  string
>

/**
 * What these files say, for good: an idle machine of that size. Live figures would need a file system of ours that root
 * serves to hostile programs. `hostCpuinfo` gives the kind of processor, which programs choose their code by.
 */
export function procFiles({ cpus, memoryBytes }: OwnMachine, hostCpuinfo: string): ProcFiles {
  const each = <T>(line: (cpu: number) => T) => Array.from({ length: cpus }, (_, cpu) => line(cpu))
  const kib = Math.floor(memoryBytes / 1024)
  return {
    cmdline: 'quiet\n',
    cpuinfo: each((cpu) => `${ownProcessor(hostCpuinfo, cpu, cpus)}\n\n`).join(''),
    diskstats: '',
    loadavg: '0.00 0.00 0.00 1/1 1\n',
    meminfo: meminfoLines(kib),
    stat: `${['cpu ', ...each((cpu) => `cpu${cpu}`)].map((name) => `${name} 0 0 0 0 0 0 0 0 0 0\n`).join('')}${statTail}`,
    vmstat: `nr_free_pages ${Math.floor(kib / 4)}\npgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n`,
  }
}

/** The shim adds `btime`, which is a sandbox's own. */
const statTail = 'intr 0\nctxt 0\nprocesses 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0\n'

const emptyMemory = `Buffers Cached SwapCached Active Inactive Active(anon) Inactive(anon) Active(file) Inactive(file)
  Unevictable Mlocked SwapTotal SwapFree Dirty Writeback AnonPages Mapped Shmem Slab SReclaimable SUnreclaim`

function meminfoLines(kib: number): string {
  const line = (name: string, value: number) => `${`${name}:`.padEnd(16)}${String(value).padStart(8)} kB\n`
  const full = ['MemTotal', 'MemFree', 'MemAvailable'].map((name) => line(name, kib))
  return [...full, ...emptyMemory.split(/\s+/).map((name) => line(name, 0))].join('')
}

/** The host's first processor, numbered as one of `cpus` in a single socket. */
function ownProcessor(hostCpuinfo: string, cpu: number, cpus: number): string {
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
