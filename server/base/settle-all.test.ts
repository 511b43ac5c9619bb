import { expect, it } from 'vitest'
import { settleAll } from './settle-all.ts'

it('returns all results in order', async () => {
  expect(await settleAll([Promise.resolve(1), 'two'])).toEqual([1, 'two'])
})

it('throws the first failure in order, after all have ended', async () => {
  const slow = Promise.withResolvers<void>()
  let settled = false
  const both = settleAll([slow.promise, Promise.reject(new Error('second'))]).finally(() => {
    settled = true
  })
  await new Promise(setImmediate)
  expect(settled).toBe(false)
  slow.reject(new Error('first'))
  await expect(both).rejects.toThrow('first')
})
