import { expect, it } from 'vitest'
import { StorageReservations } from './storage-reservations.ts'

const mib = 1024 ** 2

it('gives runs that end together no more room than there is, and again what is given back', async () => {
  const room = new StorageReservations(async () => 10 * mib)
  const takes = await Promise.all(Array.from({ length: 5 }, () => room.reserve('one', 4 * mib)))
  expect(takes.map((take) => take !== undefined)).toEqual([true, true, false, false, false])
  expect(await room.reserve('another', 10 * mib)).toBeDefined()

  takes[0]?.()
  takes[0]?.()
  expect(await room.reserve('one', 6 * mib)).toBeDefined()
  expect(await room.reserve('one', 1 * mib)).toBeUndefined()
})

it('reads the room again if a reservation was counted and released during the read', async () => {
  let stored = 0
  let release: (() => void) | undefined
  const room = new StorageReservations(async () => {
    const left = 10 * mib - stored
    // Bytes that this read has missed.
    stored = release ? 6 * mib : 0
    release?.()
    release = undefined
    return left
  })
  release = await room.reserve('one', 6 * mib)
  expect(await room.reserve('one', 6 * mib)).toBeUndefined()
  expect(await room.reserve('one', 4 * mib)).toBeDefined()
})

it('asks nobody about small results, and for companies without a bound lets all pass', async () => {
  let asked = 0
  const room = new StorageReservations(async () => {
    asked += 1
    return null
  })
  expect(await room.reserve('one', 1000)).toBeDefined()
  expect(asked).toBe(0)
  expect(await room.reserve('one', 1e12)).toBeDefined()
})

it('goes on after a look that failed', async () => {
  let isUnavailable = true
  const room = new StorageReservations(async () => {
    if (isUnavailable) throw new Error('away')
    return mib
  })
  await expect(room.reserve('one', mib)).rejects.toThrow('away')
  isUnavailable = false
  expect(await room.reserve('one', mib)).toBeDefined()
})
