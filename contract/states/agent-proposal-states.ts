import { stateMachine } from './state-machine.ts'

export const agentProposalStates = [
  'prepared',
  'committing',
  'committed',
  'superseded',
  'cancelled',
  'expired',
  'failed',
] as const
export type AgentProposalState = (typeof agentProposalStates)[number]

/**
 * A job that an agent proposed and a person has to confirm (contract part 3, D2). `committing` lasts only within the
 * transaction that queues the run, so no crash leaves a proposal in it. `failed`: the submission was refused for good.
 */
export const agentProposalMachine = stateMachine<AgentProposalState>({
  name: 'agent_proposal',
  initial: 'prepared',
  terminal: ['committed', 'superseded', 'cancelled', 'expired', 'failed'],
  transitions: {
    prepared: ['committing', 'superseded', 'cancelled', 'expired'],
    committing: ['committed', 'prepared', 'failed'],
    committed: [],
    superseded: [],
    cancelled: [],
    expired: [],
    failed: [],
  },
})
