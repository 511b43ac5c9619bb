import { stateMachine } from './state-machine.ts'

export const findingStates = [
  'discovered',
  'reappeared',
  'excepted',
  'blocked',
  'resolved',
  'closed',
] as const
export type FindingState = (typeof findingStates)[number]

/**
 * A security finding of an environment, as its current version shows it. Scans move it to `resolved` and back;
 * managers except it for a time; `blocked` is the operator's word that it may not be excepted, which holds when it is resolved
 * and occurs again. `closed` ends it with its environment.
 */
export const findingMachine = stateMachine<FindingState>({
  name: 'security_finding',
  initial: 'discovered',
  terminal: ['closed'],
  transitions: {
    discovered: ['excepted', 'blocked', 'resolved', 'closed'],
    reappeared: ['excepted', 'blocked', 'resolved', 'closed'],
    excepted: ['discovered', 'blocked', 'resolved', 'closed'],
    blocked: ['discovered', 'resolved', 'closed'],
    resolved: ['reappeared', 'excepted', 'blocked', 'closed'],
    closed: [],
  },
})

/** Findings that the current version still shows. */
export const openFindingStates = [
  'discovered',
  'reappeared',
  'excepted',
  'blocked',
] as const satisfies FindingState[]

export const exceptionStates = ['active', 'revoked', 'expired'] as const
export type ExceptionState = (typeof exceptionStates)[number]

/** A finding has at most one active exception; a new one after it has ended is a row of its own. */
export const exceptionMachine = stateMachine<ExceptionState>({
  name: 'security_exception',
  initial: 'active',
  terminal: ['revoked', 'expired'],
  transitions: { active: ['revoked', 'expired'], revoked: [], expired: [] },
})
