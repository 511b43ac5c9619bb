import { stateMachine } from './state-machine.ts'

export const environmentVersionStates = [
  'draft',
  'build_queued',
  'building',
  'quarantined',
  'verifying',
  'verified',
  'regional_provisioning',
  'ready',
  'retryable_failed',
  'rejected',
  'abandoned',
  'blocked',
  'superseded',
  'archived',
  'provisioning_blocked',
] as const
export type EnvironmentVersionState = (typeof environmentVersionStates)[number]

/**
 * Environment version (contract part 3, D4).
 *
 * Choices where the contract names no move:
 * - A version whose build runs is not archived: cancel the build first, so that no build writes to an archived version.
 * - An operator's digest block stops a version that has a promoted image; unblocking restores the state it had.
 * - `ready` may go back to `regional_provisioning`, because retry-provisioning is allowed on it.
 * - Only `archived` is final: a rejected or abandoned version can still be put away.
 */
export const environmentVersionMachine = stateMachine<EnvironmentVersionState>({
  name: 'environment_version',
  initial: 'draft',
  terminal: ['archived'],
  transitions: {
    draft: ['build_queued', 'archived'],
    build_queued: ['building', 'retryable_failed', 'rejected'],
    building: ['quarantined', 'retryable_failed', 'rejected'],
    quarantined: ['verifying', 'retryable_failed', 'rejected'],
    verifying: ['verified', 'retryable_failed', 'rejected'],
    verified: ['regional_provisioning', 'retryable_failed', 'blocked'],
    regional_provisioning: ['ready', 'provisioning_blocked', 'retryable_failed', 'blocked'],
    ready: ['regional_provisioning', 'superseded', 'blocked', 'archived'],
    retryable_failed: ['build_queued', 'abandoned', 'archived'],
    rejected: ['archived'],
    abandoned: ['archived'],
    blocked: ['verified', 'regional_provisioning', 'ready', 'superseded', 'provisioning_blocked', 'archived'],
    superseded: ['blocked', 'archived'],
    provisioning_blocked: ['regional_provisioning', 'blocked', 'archived'],
    archived: [],
  },
})

/** States in which the place that runs a version may be asked for it again. */
export const provisionableVersionStates = [
  'regional_provisioning',
  'provisioning_blocked',
  'ready',
] as const satisfies EnvironmentVersionState[]

/** States in which a build may be queued, provided that no attempt is under way. */
export const buildableVersionStates = [
  'draft',
  'retryable_failed',
] as const satisfies EnvironmentVersionState[]
