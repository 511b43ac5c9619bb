import { stateMachine } from './state-machine.ts'

export const shareGrantStates = ['active', 'revoked'] as const
export type ShareGrantState = (typeof shareGrantStates)[number]

/** Sharing again after a revoke makes a new grant of the next generation. */
export const shareGrantMachine = stateMachine<ShareGrantState>({
  name: 'share_grant',
  initial: 'active',
  terminal: ['revoked'],
  transitions: { active: ['revoked'], revoked: [] },
})

export const bindingStates = ['enabled', 'revoked'] as const
export type BindingState = (typeof bindingStates)[number]

/**
 * Disabling a granted job revokes its binding; enabling it again makes a new binding of the next generation
 * (contract part 3, D4). Moving the pin to a newer version leaves the state alone.
 */
export const bindingMachine = stateMachine<BindingState>({
  name: 'binding',
  initial: 'enabled',
  terminal: ['revoked'],
  transitions: { enabled: ['revoked'], revoked: [] },
})
