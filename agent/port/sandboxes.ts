import type { SandboxExit } from './sandbox-exit.ts'
import type { SandboxSpec } from './sandbox-spec.ts'
import type { StartInput } from './start-input.ts'

/**
 * A sandbox is started at most once per id, permanently: `start` on an id that was started before does nothing, and `forbid`
 * makes an id that was never started unstartable. Its exit record and its results
 * (`ResultPort`) stay readable until `remove`, across restarts of every process. Callers may repeat every call.
 */
export interface SandboxPort {
  /**
   * Starts the sandbox and sends the input to its program. Resolves once the program runs and its input was read, or the
   * sandbox has ended; if it ended before its program started (`programNeverStarted`), the start is refused with
   * `neverStarted`. Neither the bytes of the input nor the values to mask are written to disk.
   */
  start(spec: SandboxSpec, input: StartInput): Promise<void>
  /** Resolves with the exit record once it exists; rejects with `SandboxUnknown` or on `signal`. */
  wait(id: string, signal?: AbortSignal): Promise<SandboxExit>
  /** Requests the end of a sandbox: every process in it is killed, the exit record says `stopped`. */
  stop(id: string): Promise<void>
  /**
   * Asks every process to end (SIGTERM), and kills what is left after `limits.graceMs`; the exit record says `stopped`. A `stop`
   * in the meantime kills at once.
   */
  terminate(id: string): Promise<void>
  /** True if the id was never started; from then on `start` refuses it. */
  forbid(id: string): Promise<boolean>
  remove(id: string): Promise<void>
  list(): Promise<SandboxSummary[]>
}

export interface SandboxSummary {
  id: string
  state: 'starting' | 'running' | 'exited' | 'forbidden'
}
