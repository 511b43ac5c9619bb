import { availableParallelism, loadavg } from 'node:os'

/**
 * Called before the rounds; the result is called after them. Load from outside slows all subjects, and the busiest
 * most.
 */
export function machineNote(): () => string {
  const [before = 0] = loadavg()
  return () => {
    const [after = 0] = loadavg()
    const loads = `${before.toFixed(1)} at the start of the rounds and ${after.toFixed(1)} at their end`
    return `machine: ${availableParallelism()} processors, load average ${loads}`
  }
}
