import type { SandboxExit } from '../../port/sandbox-exit.ts'
import type { SandboxSummary } from '../../port/sandboxes.ts'
import type { StartRecord } from '../records/start-record.ts'
import type { Shim } from '../shim/shim.ts'

/** One requested sandbox. */
export interface Sandbox {
  readonly startRecord: StartRecord
  readonly folder: string
  /** `recorded`: the exit record exists, the shim cleans up. `gone`: the shim has exited, and the id range is free. */
  phase: 'live' | 'recorded' | 'gone'
  /** True if the start signal may have reached the shim. */
  released: boolean
  /** Values to mask in the names of its refusals; undefined if an earlier agent started it. */
  masked: readonly Buffer[] | undefined
  /** Undefined until the shim is started or found. */
  shim: Shim | undefined
  /** Resolves when only its folder is left. */
  cleanedUp: Promise<void>
  /** Resolves when the program runs or an exit record exists. */
  readonly running: PromiseWithResolvers<void>
  /** Resolves with the exit record once it exists, or with undefined if nothing was started. */
  readonly exited: PromiseWithResolvers<SandboxExit | undefined>
}

/** `released` is true for a sandbox of an earlier agent, which may have sent the start signal. */
export function newSandbox(startRecord: StartRecord, folder: string, released: boolean): Sandbox {
  const running = Promise.withResolvers<void>()
  // `start` reports the failure to its caller; without another waiter it would be an unhandled rejection.
  running.promise.catch(() => undefined)
  return {
    startRecord,
    folder,
    phase: 'live',
    released,
    masked: undefined,
    shim: undefined,
    cleanedUp: Promise.resolve(),
    running,
    exited: Promise.withResolvers<SandboxExit | undefined>(),
  }
}

/** The exit record; undefined while the sandbox lives. */
export const exitOf = async (sandbox: Sandbox): Promise<SandboxExit | undefined> =>
  sandbox.phase === 'live' ? undefined : sandbox.exited.promise

export function stateOf(sandbox: Sandbox): SandboxSummary['state'] {
  if (sandbox.phase !== 'live') return 'exited'
  return sandbox.shim?.isRunning() ? 'running' : 'starting'
}
