import { afterEach, describe, expect, it, vi } from 'vitest'
import { testStorage } from '../../../testing/apps/test-storage.ts'
import { sha256Of } from '../../base/sha256.ts'
import { Downloads } from './downloads.ts'
import { openStoredZip, zipNames } from './stored-zip.ts'

it('gives names that become equal a number', () => {
  expect(zipNames(['a:b', 'a?b', 'a_b~2', 'a*b', 'c', 'c', 'c'])).toEqual([
    'a_b',
    'a_b~2',
    'a_b~2~2',
    'a_b~3',
    'c',
    'c~2',
    'c~3',
  ])
})

it('needs no longer for many names that become equal', () => {
  const names = Array.from({ length: 20_000 }, (_, at) =>
    at
      .toString(8)
      .padStart(5, '0')
      .replaceAll(/\d/g, (digit) => '\\:*?"<>|'.charAt(Number(digit))),
  )
  expect(new Set(names).size).toBe(20_000)
  const shown = zipNames(names)
  expect(new Set(shown).size).toBe(20_000)
  expect(shown.at(-1)).toBe('_____~20000')
})

describe('a zip of stored objects', () => {
  const at = new Date(0)
  const reader = { companyId: 'com_a', linkId: 'usr_a', signal: new AbortController().signal }
  const storage = testStorage()
  const partsOf = (count: number) =>
    Array.from({ length: count }, (_, start) => ({
      key: 'pack',
      start,
      byteSize: 1,
      digest: sha256Of(Buffer.from('a')),
      name: String(start),
    }))
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const open = (count: number) => openStoredZip(new Downloads(storage), partsOf(count), { at, reader })

  it('has the size that it is announced with', async () => {
    await storage.put('pack', Buffer.from('aaa'))
    const { body, byteSize } = await open(3)
    expect(Buffer.concat(await body.toArray())).toHaveLength(byteSize)
  })

  it('is refused if an object is missing, short, or damaged at its start', async () => {
    await storage.put('pack', Buffer.from('aab'))
    await expect(open(3)).rejects.toMatchObject({ code: 'storage_unavailable' })
    await expect(open(4)).rejects.toMatchObject({ code: 'storage_unavailable' })
    await storage.delete('pack')
    await expect(open(1)).rejects.toMatchObject({ code: 'storage_unavailable' })
  })

  it('opens each object once, and reads small files together', async () => {
    const pack = Buffer.from('a'.repeat(20_000))
    await storage.put('pack', pack)
    const counts = { opened: 0, read: 0 }
    const opened = storage.opened.bind(storage)
    vi.spyOn(storage, 'opened').mockImplementation(async (key) => {
      counts.opened += 1
      const object = await opened(key)
      const read = (start: number, end: number) => {
        counts.read += 1
        return object.read(start, end)
      }
      return { ...object, read }
    })
    const { body, byteSize } = await open(pack.length)
    // For those that are compared before the first byte is sent.
    expect(counts).toEqual({ opened: 1, read: 1 })
    expect(Buffer.concat(await body.toArray())).toHaveLength(byteSize)
    expect(counts).toEqual({ opened: 2, read: 2 })
  })

  it('ends with an error at damage that is found later', async () => {
    await storage.put('pack', Buffer.from(`${'a'.repeat(1000)}b`))
    const { body } = await open(1001)
    await expect(body.toArray()).rejects.toMatchObject({ code: 'storage_unavailable' })
  })
})
