import { readFileSync, readlinkSync } from 'node:fs'

/** The kernel's name of the calling thread. */
export const ownThread = (): string => readlinkSync('/proc/thread-self')

/** Clock ticks per second, a constant of the Linux user interface. */
const ticksPerSecond = 100

/**
 * Processor time that a thread has used, in milliseconds; 0 after it has ended. Read from the kernel, since the thread may
 * be too busy to report it.
 */
export function threadTimeMs(thread: string): number {
  const stat = statOf(thread)
  if (stat === undefined) return 0
  // The name may contain any character. After it, `state` is the first field and `utime` the twelfth.
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
    // The kernel returns ESRCH for a thread that ends during the read.
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}
