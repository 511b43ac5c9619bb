import { terminalClasses } from './run-states.ts'
import { stateMachine } from './state-machine.ts'

export const buildAttemptStates = [
  'validation_queued',
  'validating',
  'build_queued',
  'building',
  'verifying',
  'completed',
  'customer_failed',
  'platform_failed',
  'cancel_requested',
  'cancelling',
  'cancelled',
] as const
export type BuildAttemptState = (typeof buildAttemptStates)[number]

/**
 * Build attempt (contract part 3, D4). A cancel is durable: once requested, the attempt ends as
 * `cancelled` whatever else happens to it.
 */
export const buildAttemptMachine = stateMachine<BuildAttemptState>({
  name: 'build_attempt',
  initial: 'validation_queued',
  terminal: terminalClasses,
  transitions: {
    validation_queued: ['validating', 'cancel_requested', 'customer_failed', 'platform_failed'],
    validating: ['build_queued', 'cancel_requested', 'customer_failed', 'platform_failed'],
    build_queued: ['building', 'cancel_requested', 'customer_failed', 'platform_failed'],
    building: ['verifying', 'cancel_requested', 'customer_failed', 'platform_failed'],
    verifying: ['completed', 'cancel_requested', 'customer_failed', 'platform_failed'],
    cancel_requested: ['cancelling'],
    cancelling: ['cancelled'],
    completed: [],
    customer_failed: [],
    platform_failed: [],
    cancelled: [],
  },
})
