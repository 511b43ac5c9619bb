/** A sandbox on some of the machine's processors; `load` is how many of them it keeps busy. */
export interface Placed {
  id: string
  cpus: number[]
  load: number
}

/** A move must take so much of a processor's load away: each costs the kernel some milliseconds. */
const worthMoving = 0.3

/** The `count` processors that have the least to do. */
export function leastLoaded(placed: Placed[], machineCpus: number, count: number): number[] {
  const loads = loadsOf(placed, machineCpus)
  return loads
    .map((load, cpu) => ({ load, cpu }))
    .sort((a, b) => a.load - b.load || a.cpu - b.cpu)
    .slice(0, count)
    .map(({ cpu }) => cpu)
    .sort((a, b) => a - b)
}

/** The one move from the busiest processor to the idlest that evens them out best; undefined when none is worth it. */
export function evenOut(placed: Placed[], machineCpus: number): Placed | undefined {
  const loads = loadsOf(placed, machineCpus)
  const most = Math.max(...loads)
  const [busiest, idlest] = [loads.indexOf(most), loads.indexOf(Math.min(...loads))]
  const gap = most - (loads[idlest] ?? 0)
  // What is moved leaves one side and arrives on the other: only what is less than the gap makes it smaller.
  const gain = ({ cpus, load }: Placed) => Math.min(load / cpus.length, gap - load / cpus.length)
  const [best] = placed
    .filter(({ cpus }) => cpus.includes(busiest) && !cpus.includes(idlest))
    .sort((a, b) => gain(b) - gain(a))
  if (!best || gain(best) < worthMoving) return undefined
  const cpus = [...best.cpus.filter((cpu) => cpu !== busiest), idlest].sort((a, b) => a - b)
  return { ...best, cpus }
}

function loadsOf(placed: Placed[], machineCpus: number): number[] {
  const loads = Array.from({ length: machineCpus }, () => 0)
  for (const { cpus, load } of placed) {
    for (const cpu of cpus) loads[cpu] = (loads[cpu] ?? 0) + load / cpus.length
  }
  return loads
}
