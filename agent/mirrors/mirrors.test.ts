import { expect, test } from 'vitest'
import { waitUntil } from '../../testing/agent/test-agent.ts'
import { endMirroredRules } from '../network/mirror-rules.ts'
import { RuleRemovals } from '../network/rule-removals.ts'
import { Mirrors } from './mirrors.ts'

test('the rules of links that close together are removed in one call', async () => {
  const calls: string[] = []
  const removals = new RuleRemovals({ nft: async (rules) => void calls.push(rules) }, fail, { delayMs: 5 })
  const mirrors = new Mirrors({ folder: '/nonexistent', onError: fail })
  mirrors.adopt(5)
  mirrors.adopt(6)
  for (const link of [5, 6, 7]) mirrors.release(link, removals)
  await waitUntil(async () => calls.length > 0)
  expect(calls).toEqual([endMirroredRules(5) + endMirroredRules(6)])
})

function fail(error: unknown): void {
  throw error
}
