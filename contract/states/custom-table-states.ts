import { stateMachine } from './state-machine.ts'

export const customTableStates = ['active', 'archived'] as const
export type CustomTableState = (typeof customTableStates)[number]

/** Nothing writes the rows of an archived table; they stay readable. */
export const customTableMachine = stateMachine<CustomTableState>({
  name: 'custom_table',
  initial: 'active',
  terminal: ['archived'],
  transitions: { active: ['archived'], archived: [] },
})

export const tableCommandStates = ['active', 'archived'] as const
export type TableCommandState = (typeof tableCommandStates)[number]

export const tableCommandMachine = stateMachine<TableCommandState>({
  name: 'table_command',
  initial: 'active',
  terminal: ['archived'],
  transitions: { active: ['archived'], archived: [] },
})

export const tableTriggerStates = ['active', 'archived'] as const
export type TableTriggerState = (typeof tableTriggerStates)[number]

/** Changes of rows start no run of an archived trigger; events that wait for it are refused. */
export const tableTriggerMachine = stateMachine<TableTriggerState>({
  name: 'table_trigger',
  initial: 'active',
  terminal: ['archived'],
  transitions: { active: ['archived'], archived: [] },
})
