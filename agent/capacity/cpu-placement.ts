/** A sandbox on some of the machine's processors; `load` is how many of them it keeps busy. */
export interface CpuPlacement {
  id: string
  cpus: number[]
  load: number
}

/** Minimum load that a move must take off a processor: each move costs the kernel some milliseconds. */
const minGain = 0.3

/** The `count` processors with the lowest load. */
export function leastLoaded(placed: CpuPlacement[], machineCpus: number, count: number): number[] {
  const loads = loadsOf(placed, machineCpus)
  return loads
    .map((load, cpu) => ({ load, cpu }))
    .sort((a, b) => a.load - b.load || a.cpu - b.cpu)
    .slice(0, count)
    .map(({ cpu }) => cpu)
    .sort((a, b) => a - b)
}

/** The best single move from the busiest processor to the idlest; undefined if no move reaches the minimum gain. */
export function evenOut(placed: CpuPlacement[], machineCpus: number): CpuPlacement | undefined {
  const loads = loadsOf(placed, machineCpus)
  const most = Math.max(...loads)
  const [busiest, idlest] = [loads.indexOf(most), loads.indexOf(Math.min(...loads))]
  const gap = most - (loads[idlest] ?? 0)
  // A moved load leaves one side and arrives on the other: only a load smaller than the gap reduces it.
  const gain = ({ cpus, load }: CpuPlacement) => Math.min(load / cpus.length, gap - load / cpus.length)
  const [best] = placed
    .filter(({ cpus }) => cpus.includes(busiest) && !cpus.includes(idlest))
    .sort((a, b) => gain(b) - gain(a))
  if (!best || gain(best) < minGain) return undefined
  const cpus = [...best.cpus.filter((cpu) => cpu !== busiest), idlest].sort((a, b) => a - b)
  return { ...best, cpus }
}

function loadsOf(placed: CpuPlacement[], machineCpus: number): number[] {
  const loads = Array.from({ length: machineCpus }, () => 0)
  for (const { cpus, load } of placed) {
    for (const cpu of cpus) loads[cpu] = (loads[cpu] ?? 0) + load / cpus.length
  }
  return loads
}
