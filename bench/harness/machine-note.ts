import { availableParallelism, loadavg } from 'node:os'

/** Begun before the rounds, called after them: a load that others make slows all subjects, and the busiest most. */
export function machineNote(): () => string {
  const [before = 0] = loadavg()
  return () => {
    const [after = 0] = loadavg()
    const loads = `${before.toFixed(1)} when the rounds began and ${after.toFixed(1)} when they ended`
    return `machine: ${availableParallelism()} processors, load average ${loads}`
  }
}
