import type { Confinement } from '../../confine/native.ts'

/**
 * Argument list that runs `argv` so that nothing of its memory gets out beside it: no core, not even to a handler of cores,
 * which the kernel leaves out at a limit of 1 and not at 0; and what is in /proc of it, root's.
 */
export const withoutCores = ({ notDumpable }: Confinement, argv: string[]): string[] => [
  ...['prlimit', '--core=1:1', '--'],
  // For this program alone: those before it would use it up.
  ...['env', `LD_PRELOAD=${notDumpable}`],
  ...argv,
]
