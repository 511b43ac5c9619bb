import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ObjectMissing, type ObjectStorage, ObjectTooLarge, type OpenedObject } from './port.ts'
import { isStorageUnavailable } from './unavailable.ts'

const bytesOf = async (object: OpenedObject, start = 0, end = 0) =>
  Buffer.concat(await Readable.from(object.read(start, end)).toArray())
const textOf = async (object: OpenedObject, start: number, end: number) =>
  String(await bytesOf(object, start, end))

/** `unavailable` for such an error. */
function unlessUnavailable(error: unknown): string {
  if (!isStorageUnavailable(error)) throw error
  return 'unavailable'
}

const read = async (stream: Readable) => Buffer.concat(await stream.toArray()).toString()

/** The conformance tests of an object storage; each adapter's test runs them. */
export function storageConformance(name: string, make: () => Promise<ObjectStorage>): void {
  describe(`${name} as object storage`, () => {
    it('returns the stored bytes, and reports their size and digest', async () => {
      const storage = await make()
      const stored = await storage.put('a/b', Buffer.from('hello'))
      expect(stored).toEqual({
        byteSize: 5,
        digest: `sha256:${createHash('sha256').update('hello').digest('hex')}`,
      })
      expect(await read(await storage.get('a/b'))).toBe('hello')
      expect(await storage.size('a/b')).toBe(5)
    })

    it('reads ranges, both ends included', async () => {
      const storage = await make()
      await storage.put('range', Readable.from([Buffer.from('0123'), Buffer.from('456789')]))
      expect(await read(await storage.get('range', { start: 2, end: 5 }))).toBe('2345')
      expect(await read(await storage.get('range', { start: 8, end: 20 }))).toBe('89')
    })

    it('reads an opened object unchanged or not at all, and identifies its bytes by a stamp', async () => {
      const storage = await make()
      await storage.put('opened', Buffer.from('0123456789'))
      const first = await storage.opened('opened')
      const again = await storage.opened('opened')
      await storage.put('opened', Buffer.from('9876543210'))
      const second = await storage.opened('opened')
      expect(['234', 'unavailable']).toContain(await textOf(first, 2, 5).catch(unlessUnavailable))
      expect([await textOf(first, 0, 0), first.byteSize]).toEqual(['', 10])
      expect(await textOf(second, 2, 5)).toBe('765')
      expect(again.stamp).toBe(first.stamp)
      expect(second.stamp).not.toBe(first.stamp)
      await Promise.all([first, again, second].map((object) => object.close()))
      await expect(storage.opened('nothing')).rejects.toThrow(ObjectMissing)
    })

    it('reads pieces of a large opened object in any order, and copies it with its stamp', async () => {
      const storage = await make()
      const bytes = randomBytes(9 * 1024 ** 2 + 7)
      await storage.put('large', Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]))
      await storage.copy('large', 'copy')
      const [object, copied] = [await storage.opened('large'), await storage.opened('copy')]
      const found = await Readable.from(object.read(0, bytes.length)).toArray()
      expect(Buffer.concat(found).equals(bytes)).toBe(true)
      for (const [start, end] of [
        [8_999_000, 9_001_000],
        [10, 20],
        [0, 1],
        [19, 300_000],
      ])
        expect((await bytesOf(copied, start, end)).equals(bytes.subarray(start, end))).toBe(true)
      let at = 1
      for await (const piece of object.read(at, 300_000, Buffer.alloc(1000))) {
        expect(piece.equals(bytes.subarray(at, at + piece.length))).toBe(true)
        at += piece.length
      }
      expect(at).toBe(300_000)
      expect(copied.stamp).toBe(object.stamp)
      await Promise.all([object, copied].map((opened) => opened.close()))
    })

    it('reads a small object, or its first bytes', async () => {
      const storage = await make()
      await storage.put('small', Buffer.from('0123456789'))
      expect(String(await storage.read('small'))).toBe('0123456789')
      expect(String(await storage.read('small', 4))).toBe('0123')
      expect(await storage.read('nothing')).toBeUndefined()
    })

    it('stores an object without bytes', async () => {
      const storage = await make()
      await storage.put('empty', Readable.from([]))
      expect([await storage.size('empty'), await read(await storage.get('empty'))]).toEqual([0, ''])
      expect(await storage.read('empty', 4)).toEqual(Buffer.alloc(0))
    })

    it('replaces an object atomically', async () => {
      const storage = await make()
      await storage.put('key', Buffer.from('a longer first text'))
      await storage.put('key', Buffer.from('second'))
      expect(await read(await storage.get('key'))).toBe('second')
    })

    it('stores and replaces an object that nobody reads yet like any other', async () => {
      const storage = await make()
      const first = await storage.put('a/unread', Buffer.from('first'), { isUnread: true })
      expect(first).toEqual(await storage.put('a/read', Buffer.from('first')))
      expect(await read(await storage.get('a/unread'))).toBe('first')
      await storage.put('a/unread', Readable.from([Buffer.from('second')]), { isUnread: true })
      expect(await read(await storage.get('a/unread'))).toBe('second')
      const tooLarge = storage.put('a/none', Buffer.from('third'), { maxBytes: 4, isUnread: true })
      await expect(tooLarge).rejects.toThrow(ObjectTooLarge)
      expect(await storage.size('a/none')).toBeUndefined()
    })

    it('stores nothing of a stream that exceeds its bound or breaks off', async () => {
      const storage = await make()
      await expect(storage.put('big', Buffer.alloc(11), { maxBytes: 10 })).rejects.toThrow(ObjectTooLarge)
      const broken = Readable.from(
        (function* () {
          yield Buffer.from('part')
          throw new Error('cut')
        })(),
      )
      await expect(storage.put('cut', broken)).rejects.toThrow('cut')
      expect(await storage.size('big')).toBeUndefined()
      expect(await storage.size('cut')).toBeUndefined()
    })

    it('stores many objects at once, in order', async () => {
      const storage = await make()
      const objects = ['a/1', 'b/c/2', 'a/3'].map((key) => ({ key, bytes: Buffer.from(`in ${key}`) }))
      await storage.put('a/3', Buffer.from('before'))
      await storage.putAll(objects)
      const found = objects.map(async ({ key }) => read(await storage.get(key)))
      expect(await Promise.all(found)).toEqual(['in a/1', 'in b/c/2', 'in a/3'])
      await expect(storage.putAll([...objects, { key: '../up', bytes: Buffer.alloc(1) }])).rejects.toThrow()
    })

    it('moves an object to another key', async () => {
      const storage = await make()
      await storage.put('from', Buffer.from('x'))
      await storage.move('from', 'deep/er/to')
      expect(await storage.size('from')).toBeUndefined()
      expect(await read(await storage.get('deep/er/to'))).toBe('x')
    })

    it('makes any number of copies of an object, each independent', async () => {
      const storage = await make()
      await storage.put('original', Buffer.from('x'))
      await storage.copy('original', 'deep/er/copy')
      await storage.copy('original', 'deep/er/copy')
      await storage.put('original', Buffer.from('y'))
      await storage.delete('original')
      expect(await read(await storage.get('deep/er/copy'))).toBe('x')
    })

    it('reports a missing object, and deletes it without an error', async () => {
      const storage = await make()
      await expect(storage.get('nowhere')).rejects.toThrow(ObjectMissing)
      await expect(storage.move('nowhere', 'else')).rejects.toThrow(ObjectMissing)
      await expect(storage.copy('nowhere', 'else')).rejects.toThrow(ObjectMissing)
      await storage.delete('nowhere')
      expect(await storage.size('nowhere')).toBeUndefined()
    })

    it.each(['../up', '/absolute', 'a//b', 'a/../b', '', 'A', 'a b', 'a/.hidden'])(
      'refuses the key %j',
      async (key) => {
        const storage = await make()
        await expect(storage.put(key, Buffer.from('x'))).rejects.toThrow('not an object key')
      },
    )
  })
}
