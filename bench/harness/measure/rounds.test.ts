import { expect, test } from 'vitest'
import { interleaved } from './rounds.ts'

test('subjects take turns, each round starts with another one, and warm-up rounds do not count', async () => {
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

test('a failed operation ends the measurement', async () => {
  const broken = { name: 'broken', once: () => Promise.reject(new Error('it broke')) }
  await expect(interleaved([broken], { rounds: 1, warmups: 0, restMs: 0 })).rejects.toThrow('it broke')
})
