import { expect, it } from 'vitest'
import { allEnded } from './all-ended.ts'

it('gives what each gives, in their order', async () => {
  expect(await allEnded([Promise.resolve(1), 'two'])).toEqual([1, 'two'])
})

it('tells the first failure in order, and not before all have ended', async () => {
  const slow = Promise.withResolvers<void>()
  let told = false
  const both = allEnded([slow.promise, Promise.reject(new Error('second'))]).finally(() => {
    told = true
  })
  await new Promise(setImmediate)
  expect(told).toBe(false)
  slow.reject(new Error('first'))
  await expect(both).rejects.toThrow('first')
})
