import type { SandboxExit, SandboxSummary } from '../../port.ts'
import type { Keeper } from './keeper.ts'
import type { Ticket } from './ticket.ts'

/** One sandbox that was asked for, from its ticket on. */
export interface Sandbox {
  readonly ticket: Ticket
  readonly folder: string
  /** `recorded`: the exit record is there, the shim cleans up. `gone`: so is the shim, and the range is free. */
  phase: 'live' | 'recorded' | 'gone'
  /** Whether the word that starts its program may have reached the shim. */
  wordGiven: boolean
  /** What the names in its refusals are not to show; undefined of one that an earlier agent started. */
  masked: readonly Buffer[] | undefined
  /** The shim, once there is one. */
  keeper: Keeper | undefined
  /** Resolves when nothing of it is left but its folder. */
  cleared: Promise<void>
  /** Resolves when the program runs, or there is an exit record. */
  readonly running: PromiseWithResolvers<void>
  /** Resolves with the exit record once there is one; with undefined where nothing was started. */
  readonly exited: PromiseWithResolvers<SandboxExit | undefined>
}

/** `wordGiven`: of one that an earlier agent had, nobody knows better. */
export function newSandbox(ticket: Ticket, folder: string, wordGiven: boolean): Sandbox {
  const running = Promise.withResolvers<void>()
  // Its failure is told to whoever asked for the start; nobody else may be waiting.
  running.promise.catch(() => undefined)
  return {
    ticket,
    folder,
    phase: 'live',
    wordGiven,
    masked: undefined,
    keeper: undefined,
    cleared: Promise.resolve(),
    running,
    exited: Promise.withResolvers<SandboxExit | undefined>(),
  }
}

/** The exit record, unless the sandbox lives. */
export const exitOf = async (sandbox: Sandbox): Promise<SandboxExit | undefined> =>
  sandbox.phase === 'live' ? undefined : sandbox.exited.promise

export function stateOf(sandbox: Sandbox): SandboxSummary['state'] {
  if (sandbox.phase !== 'live') return 'exited'
  return sandbox.keeper?.isRunning() ? 'running' : 'starting'
}
