import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

/**
 * Starts a program that the kernel kills when this process ends, however it ends. The program writes its errors to those of the tests,
 * and vitest waits for as long as anything holds them.
 */
export function spawnBound(
  command: readonly string[],
  options: { env?: NodeJS.ProcessEnv } = {},
): ChildProcessByStdio<null, Readable, null> {
  return spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
