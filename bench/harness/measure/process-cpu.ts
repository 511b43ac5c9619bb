import { readdir, readFile } from 'node:fs/promises'

/** Linux reports processor time to user space in hundredths of a second, independent of the kernel's tick. */
const ticksPerSecond = 100

interface Process {
  parent: number
  cpuTicks: number
}

/** Parses /proc/PID/stat. The name in it may contain any character, so fields are counted from the last parenthesis. */
export function parseStat(text: string): Process {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).map(Number)
  return { parent: Number(fields[1]), cpuTicks: ticks.reduce((sum, part) => sum + part, 0) }
}

/**
 * Processor time in milliseconds of a process, its living descendants and all their reaped children. The difference
 * of two readings is exact to a hundredth of a second per living process.
 */
export async function treeCpuMs(root: number): Promise<number> {
  return sumBelow(await allProcesses(), root)
}

/** The same for each child of `root`, by process id. */
export async function childrenCpuMs(root: number): Promise<Map<number, number>> {
  const processes = await allProcesses()
  const children = [...processes].filter(([, { parent }]) => parent === root).map(([pid]) => pid)
  return new Map(children.map((pid) => [pid, sumBelow(processes, pid)]))
}

/** Ids of a process and its living descendants. */
export async function processesBelow(root: number): Promise<number[]> {
  const processes = await allProcesses()
  return [...processes.keys()].filter((pid) => descendsFrom(processes, pid, root))
}

async function allProcesses(): Promise<Map<number, Process>> {
  const processes = new Map<number, Process>()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
    if (stat !== undefined) processes.set(pid, parseStat(stat))
  }
  return processes
}

function sumBelow(processes: Map<number, Process>, root: number): number {
  let ticks = 0
  for (const [pid, { cpuTicks }] of processes) if (descendsFrom(processes, pid, root)) ticks += cpuTicks
  return (ticks * 1000) / ticksPerSecond
}

function descendsFrom(processes: Map<number, Process>, pid: number, root: number): boolean {
  for (let at: number | undefined = pid; at; at = processes.get(at)?.parent) if (at === root) return true
  return false
}
