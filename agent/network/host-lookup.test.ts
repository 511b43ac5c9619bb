import { lookup } from 'node:dns/promises'
import { expect, test, vi } from 'vitest'
import { lookUpHost } from './host-lookup.ts'

vi.mock('node:dns/promises', () => ({ lookup: vi.fn<typeof lookup>() }))

const found = [{ address: '192.0.2.7', family: 4 }]

test('callers for one host wait for one lookup, and the next caller starts another', async () => {
  const silent = Promise.withResolvers<typeof found>()
  vi.mocked(lookup).mockImplementation((host) =>
    host === 'silent.test' ? (silent.promise as never) : (Promise.resolve(found) as never),
  )
  const waiting = [1, 2, 3].map(() => lookUpHost('silent.test'))
  expect(await lookUpHost('other.test')).toEqual(found)
  expect(lookup).toHaveBeenCalledTimes(2)
  silent.reject(new Error('no answer'))
  expect(await Promise.all(waiting)).toEqual([[], [], []])
  expect(await lookUpHost('other.test')).toEqual(found)
  expect(lookup).toHaveBeenCalledTimes(3)
})
