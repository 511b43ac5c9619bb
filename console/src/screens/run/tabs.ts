import { type RunState, runMachine } from '@sandbox-jobs/contract/states/run-states.ts'
import { isTerminal } from '@sandbox-jobs/contract/states/state-machine.ts'

/** Parts of a run, each at an address of its own. */
export const runTabs = ['result', 'log', 'files', 'input', 'network', 'usage'] as const
export type RunTab = (typeof runTabs)[number]

export const hasEnded = (status: RunState): boolean => isTerminal(runMachine, status)

/** Where a person looks first: at the log while it runs and after a failure, at the result after success. */
export const firstTab = (status: RunState): RunTab => (status === 'completed' ? 'result' : 'log')
