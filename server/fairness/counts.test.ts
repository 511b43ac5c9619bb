import { expect, it } from 'vitest'
import { Counts } from './counts.ts'

it('counts by key and in all, and forgets a key that is back at 0', () => {
  const counts = new Counts()
  counts.add('one', 2)
  counts.add('two', 3)
  counts.add('one', -2)
  expect([counts.of('one'), counts.of('two'), counts.sum]).toEqual([0, 3, 3])
  expect([...counts.entries()]).toEqual([['two', 3]])
})
