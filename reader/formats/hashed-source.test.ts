import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { HashedSource } from './hashed-source.ts'

const bytes = randomBytes(10_000)
const expected = `sha256:${createHash('sha256').update(bytes).digest('hex')}`

function counted() {
  let opened = 0
  const source = new HashedSource({
    byteSize: bytes.length,
    open: ({ start, end } = { start: 0, end: bytes.length - 1 }) => {
      opened += 1
      return Readable.from([bytes.subarray(start, start + 100), bytes.subarray(start + 100, end + 1)])
    },
  })
  return { source, opened: () => opened }
}

it('has the digest of a source that was read from the first byte to the last without a second read', async () => {
  const { source, opened } = counted()
  expect(await buffer(await source.open())).toEqual(bytes)
  expect([await source.digest(), opened()]).toEqual([expected, 1])
  const ranged = counted()
  await buffer(await ranged.source.open({ start: 0, end: bytes.length - 1 }))
  expect([await ranged.source.digest(), ranged.opened()]).toEqual([expected, 1])
})

it('reads the source again if it was read only partly or in ranges', async () => {
  const stopped = counted()
  for await (const _ of await stopped.source.open()) break
  expect([await stopped.source.digest(), stopped.opened()]).toEqual([expected, 2])
  const parts = counted()
  await buffer(await parts.source.open({ start: 0, end: 4999 }))
  await buffer(await parts.source.open({ start: 5000, end: 9999 }))
  expect([await parts.source.digest(), parts.opened()]).toEqual([expected, 3])
  expect(await parts.source.digest()).toBe(expected)
  expect(parts.opened()).toBe(3)
})
