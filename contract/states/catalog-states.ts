import { stateMachine } from './state-machine.ts'

/** An operator's digest block, beside the state of the thing itself. */
export const securityStates = ['clear', 'blocked'] as const
export type SecurityState = (typeof securityStates)[number]

export const environmentStates = ['active', 'archived'] as const
export type EnvironmentState = (typeof environmentStates)[number]

export const environmentMachine = stateMachine<EnvironmentState>({
  name: 'environment',
  initial: 'active',
  terminal: ['archived'],
  transitions: { active: ['archived'], archived: [] },
})

export const taskStates = ['active', 'archived'] as const
export type TaskState = (typeof taskStates)[number]

/** Archiving a task archives its versions, revokes its bindings and cancels its queued runs; shares stay on record. */
export const taskMachine = stateMachine<TaskState>({
  name: 'task',
  initial: 'active',
  terminal: ['archived'],
  transitions: { active: ['archived'], archived: [] },
})

export const taskVersionStates = ['draft', 'published', 'archived'] as const
export type TaskVersionState = (typeof taskVersionStates)[number]

/** A published version never changes again: a change is a new version. */
export const taskVersionMachine = stateMachine<TaskVersionState>({
  name: 'task_version',
  initial: 'draft',
  terminal: ['archived'],
  transitions: { draft: ['published', 'archived'], published: ['archived'], archived: [] },
})

/** `scrubbed` content is gone for good: the version can never run again. */
export const taskVersionContentStates = ['active', 'scrubbed'] as const
export type TaskVersionContentState = (typeof taskVersionContentStates)[number]
