import { readFileSync, readlinkSync } from 'node:fs'

/** A thread of this process as the kernel names it; asked for by the thread itself. */
export const ownThread = (): string => readlinkSync('/proc/thread-self')

/** Clock ticks in a second, as Linux tells them to every program. */
const ticksPerSecond = 100

/**
 * Processor time that a thread has used, in milliseconds; 0 once it has ended. Told by the kernel, for the thread may be
 * too busy to.
 */
export function threadTimeMs(thread: string): number {
  const stat = statOf(thread)
  if (stat === undefined) return 0
  // Behind the name, which may hold any character, `state` is the first field, `utime` the twelfth.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return ((Number(user) + Number(system)) * 1000) / ticksPerSecond
}

function statOf(thread: string): string | undefined {
  try {
    return readFileSync(`/proc/${thread}/stat`, 'latin1')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // The second is told of one that ends while it is read.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
