import { stateMachine } from './state-machine.ts'

export const secretBindingStates = ['pending', 'active', 'revoking', 'revoked'] as const
export type SecretBindingState = (typeof secretBindingStates)[number]

/** A value for a slot. Rotating it raises its generation and leaves the state alone (contract part 3, D4). */
export const secretBindingMachine = stateMachine<SecretBindingState>({
  name: 'secret_binding',
  initial: 'pending',
  terminal: ['revoked'],
  transitions: { pending: ['active', 'revoked'], active: ['revoking'], revoking: ['revoked'], revoked: [] },
})

export const secretOperationStates = [
  'prepared',
  'applying',
  'reconciling',
  'applied',
  'revoking',
  'terminal',
] as const
export type SecretOperationState = (typeof secretOperationStates)[number]

/**
 * One write of a secret: `applied` ends a create or a rotate, `terminal` a revoke. A value is in the same database as its
 * operation, and one transaction writes both: so no restart finds an `applying` one, which `reconciling` is for.
 */
export const secretOperationMachine = stateMachine<SecretOperationState>({
  name: 'secret_operation',
  initial: 'prepared',
  terminal: ['applied', 'terminal'],
  transitions: {
    prepared: ['applying', 'revoking', 'terminal'],
    applying: ['applied', 'reconciling', 'terminal'],
    reconciling: ['applied', 'terminal'],
    revoking: ['terminal'],
    applied: [],
    terminal: [],
  },
})

export const secretApprovalStates = ['active', 'revoked'] as const
export type SecretApprovalState = (typeof secretApprovalStates)[number]

/** Approving the same again after a revoke makes a new approval of the next generation. */
export const secretApprovalMachine = stateMachine<SecretApprovalState>({
  name: 'secret_approval',
  initial: 'active',
  terminal: ['revoked'],
  transitions: { active: ['revoked'], revoked: [] },
})
