import type { Confinement } from '../../../reader/confine/confinement.ts'

/**
 * Argument list that runs `argv` so that its memory cannot leak: it dumps no core, not even to a core handler, which
 * the kernel skips at a limit of 1 but not at 0; and its /proc entries belong to root.
 */
export const withoutCores = ({ notDumpable }: Confinement, argv: string[]): string[] => [
  ...['prlimit', '--core=1:1', '--'],
  // Only for this program: the programs before it would drop the setting.
  ...['env', `LD_PRELOAD=${notDumpable}`],
  ...argv,
]
