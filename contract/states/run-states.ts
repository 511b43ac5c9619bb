import { stateMachine } from './state-machine.ts'

export const runStates = [
  'queued',
  'starting',
  'running',
  'cancel_requested',
  'completed',
  'customer_failed',
  'platform_failed',
  'cancelled',
] as const
export type RunState = (typeof runStates)[number]

/** How a run or a build ended. */
export const terminalClasses = ['completed', 'customer_failed', 'platform_failed', 'cancelled'] as const
export type TerminalClass = (typeof terminalClasses)[number]

/**
 * Run (contract part 3, D4). A run starts at most once: `starting` goes back to `queued` only where
 * it is proved that no container was started.
 */
export const runMachine = stateMachine<RunState>({
  name: 'run',
  initial: 'queued',
  terminal: terminalClasses,
  transitions: {
    queued: ['starting', 'cancel_requested', 'cancelled', 'customer_failed', 'platform_failed'],
    starting: ['running', 'queued', 'cancel_requested', 'customer_failed', 'platform_failed'],
    running: ['completed', 'cancel_requested', 'customer_failed', 'platform_failed'],
    // The job may have ended by itself before the request reached it: its own end then stands.
    cancel_requested: ['cancelled', 'completed', 'customer_failed', 'platform_failed'],
    completed: [],
    customer_failed: [],
    platform_failed: [],
    cancelled: [],
  },
})
