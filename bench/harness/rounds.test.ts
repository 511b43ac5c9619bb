import { expect, test } from 'vitest'
import { interleaved } from './rounds.ts'

test('subjects take turns, a different one begins each round, and warm-up rounds are not counted', async () => {
  const calls: string[] = []
  const subject = (name: string) => ({ name, once: async () => calls.push(name) })
  const samples = await interleaved([subject('a'), subject('b')], { rounds: 2, warmups: 1, restMs: 0 })
  expect(calls).toEqual(['a', 'b', 'b', 'a', 'a', 'b'])
  expect(samples).toEqual(
    new Map([
      ['a', [4, 5]],
      ['b', [3, 6]],
    ]),
  )
})

test('an operation that fails ends the run', async () => {
  const broken = { name: 'broken', once: () => Promise.reject(new Error('it broke')) }
  await expect(interleaved([broken], { rounds: 1, warmups: 0, restMs: 0 })).rejects.toThrow('it broke')
})
