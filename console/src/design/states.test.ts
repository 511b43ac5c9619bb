import { stateMachines } from '@sandbox-jobs/contract/states/index.ts'
import { isTerminal, statesOf } from '@sandbox-jobs/contract/states/state-machine.ts'
import { expect, test } from 'vitest'
import { lookOf, type MachineName, stateLooks } from './states.ts'

test('every state of every life cycle has a look, and there is none for a state that does not exist', () => {
  const declared = Object.fromEntries(
    stateMachines.map((machine) => [machine.name, statesOf(machine).toSorted()]),
  )
  const looks = Object.fromEntries(
    Object.entries(stateLooks).map(([name, states]) => [name, Object.keys(states).toSorted()]),
  )
  expect(looks).toEqual(declared)
})

test('no state that is the last of its life is shown as going on', () => {
  const wrong = stateMachines.flatMap((machine) =>
    statesOf(machine).filter(
      (state) => isTerminal(machine, state) && lookOf(machine.name as MachineName, state).isLive,
    ),
  )
  expect(wrong).toEqual([])
})

test('a state of a newer service is shown as unknown', () => {
  expect(lookOf('run', 'frozen').word).toBe('unknown')
})
