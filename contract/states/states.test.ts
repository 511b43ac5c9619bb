import { expect, test } from 'vitest'
import { stateMachines } from './index.ts'
import { runMachine } from './run-states.ts'
import { canTransition, isTerminal, sourcesOf, statesOf } from './state-machine.ts'

const machines = stateMachines.map((machine) => ({ ...machine, machine }))

test.each(machines)('$name: every move goes to another known state', ({ machine }) => {
  const states = statesOf(machine)
  for (const from of states) {
    const targets = machine.transitions[from] ?? []
    expect(new Set(targets).size).toBe(targets.length)
    expect(targets).not.toContain(from)
    for (const to of targets) expect(states).toContain(to)
  }
})

test.each(machines)('$name: exactly the terminal states have no transitions', ({ machine }) => {
  const stuck = statesOf(machine).filter((state) => machine.transitions[state]?.length === 0)
  expect(stuck.sort()).toEqual([...machine.terminal].sort())
})

test.each(machines)('$name: every state is reached from the first, and reaches an end', ({ machine }) => {
  const reach = (start: string): Set<string> => {
    const found = new Set([start])
    for (const state of found) for (const next of machine.transitions[state] ?? []) found.add(next)
    return found
  }
  expect([...reach(machine.initial)].sort()).toEqual(statesOf(machine).sort())
  for (const state of statesOf(machine)) {
    expect([...reach(state)].some((end) => machine.terminal.includes(end))).toBe(true)
  }
})

test('machines have names of their own', () => {
  expect(new Set(stateMachines.map(({ name }) => name)).size).toBe(stateMachines.length)
})

test('transitions can be queried in both directions', () => {
  expect(canTransition(runMachine, 'queued', 'starting')).toBe(true)
  expect(canTransition(runMachine, 'completed', 'running')).toBe(false)
  expect(sourcesOf(runMachine, 'completed')).toEqual(['running', 'cancel_requested'])
  expect(isTerminal(runMachine, 'cancelled')).toBe(true)
})
