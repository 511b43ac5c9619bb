import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readerRequestsFd } from '../../reader/process/reader-command.ts'
import type { Log } from '../base/logging.ts'
import type { RunningRole } from './run-role.ts'

export interface BuildsOptions {
  /** The worker's name in claims. */
  name: string
  /** The client program of the process that starts archive readers. */
  readers: string | undefined
}

/**
 * Starts the worker's process for builds (`builds.ts`). If one of the two processes ends, the other ends too, and both are started
 * again. It is a session of its own: where the kernel divides processors by session, it does not have the raised share of runs.
 */
export function startBuilds(
  { name, readers }: BuildsOptions,
  { notDumpable, log }: { notDumpable: string; log: Log },
): RunningRole {
  const builds = fork(new URL('./builds.ts', import.meta.url), [JSON.stringify({ name, readers })], {
    detached: true,
    // The kernel forgets at exec that the worker is not dumpable. Its limit of core files is inherited.
    execPath: 'env',
    execArgv: [`LD_PRELOAD=${notDumpable}`, process.execPath, ...process.execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'ignore', readers ? readerRequestsFd : 'ignore'],
  })
  const ended = once(builds, 'exit')
  let stopping = false
  void ended.then(([code, signal]) => {
    if (stopping) return
    log.fatal({ code, signal }, 'the process of builds has ended')
    process.exit(1)
  })
  return {
    stop: async () => {
      stopping = true
      // It may have ended just before.
      if (builds.connected) builds.send('stop')
      await ended
    },
  }
}
