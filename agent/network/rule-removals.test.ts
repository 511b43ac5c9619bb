import { expect, test } from 'vitest'
import { waitUntil } from '../../testing/agent/test-agent.ts'
import { RuleRemovals } from './rule-removals.ts'

const delayMs = 5

test('rules of links that close together are removed in one call', async () => {
  const calls: string[] = []
  const removals = new RuleRemovals({ nft: async (rules) => void calls.push(rules) }, fail, { delayMs })
  removals.add('first\n')
  removals.add('second\n')
  await waitUntil(async () => calls.length > 0)
  removals.add('third\n')
  await waitUntil(async () => calls.length > 1)
  expect(calls).toEqual(['first\nsecond\n', 'third\n'])
})

test('a rule that cannot be removed keeps no other one', async () => {
  const removed: string[] = []
  const errors: unknown[] = []
  const nft = async (rules: string) => {
    if (rules.includes('missing')) throw new Error('no such element')
    removed.push(rules)
  }
  const removals = new RuleRemovals({ nft }, (error) => errors.push(error), { delayMs })
  for (const rules of ['first\n', 'missing\n', 'last\n']) removals.add(rules)
  await waitUntil(async () => removed.length === 2)
  expect(removed).toEqual(['first\n', 'last\n'])
  expect(errors).toHaveLength(1)
})

test('after a stop nothing is removed', async () => {
  const calls: string[] = []
  const router = { nft: async (rules: string) => void calls.push(rules) }
  const removals = new RuleRemovals(router, fail, { delayMs })
  removals.add('first\n')
  removals.stop()
  removals.add('second\n')
  // Its time comes after that of the others.
  new RuleRemovals(router, fail, { delayMs }).add('of another\n')
  await waitUntil(async () => calls.length > 0)
  expect(calls).toEqual(['of another\n'])
})

test('a stop while a call fails ends the removal', async () => {
  const calls: string[] = []
  const nft = async (rules: string) => {
    calls.push(rules)
    removals.stop()
    throw new Error('the router is gone')
  }
  const removals = new RuleRemovals({ nft }, fail, { delayMs })
  for (const rules of ['first\n', 'second\n']) removals.add(rules)
  await waitUntil(async () => calls.length > 0)
  expect(calls).toEqual(['first\nsecond\n'])
})

function fail(error: unknown): void {
  throw error
}
