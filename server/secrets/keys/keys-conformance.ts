import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type WrappedKey, WrappedKeyRefused, type WrappingKeys } from './wrapping-keys.ts'

/**
 * Rules that every adapter of `WrappingKeys` keeps to. `open` gives one with a first key, `reopen` another one over the same
 * keys.
 */
export function describeWrappingKeys(
  name: string,
  { open, reopen }: { open: () => Promise<WrappingKeys>; reopen: () => Promise<WrappingKeys> },
): void {
  const context = Buffer.from('["place",1]')
  const flipped = ({ keyId, bytes }: WrappedKey, at: number): WrappedKey => {
    const changed = Buffer.from(bytes)
    const index = at < 0 ? changed.length + at : at
    changed[index] = (changed[index] ?? 0) ^ 1
    return { keyId, bytes: changed }
  }

  describe(`${name} as wrapping keys`, () => {
    it('unwraps what it wrapped, in another process too', async () => {
      const keys = await open()
      const dataKey = randomBytes(32)
      const wrapped = await keys.wrap(dataKey, context)
      expect(wrapped.keyId).toBe(await keys.presentId())
      expect(wrapped.keyId.startsWith(`${keys.prefix}:`)).toBe(true)
      expect(wrapped.bytes.includes(dataKey)).toBe(false)
      expect(await keys.unwrap(wrapped, context)).toEqual(dataKey)
      expect(await (await reopen()).unwrap(wrapped, context)).toEqual(dataKey)
    })

    it('wraps no two times alike', async () => {
      const keys = await open()
      const dataKey = randomBytes(32)
      const [one, other] = [await keys.wrap(dataKey, context), await keys.wrap(dataKey, context)]
      expect(one.bytes.equals(other.bytes)).toBe(false)
    })

    it('refuses another context, flipped bits and cut bytes', async () => {
      const keys = await open()
      const wrapped = await keys.wrap(randomBytes(32), context)
      await expect(keys.unwrap(wrapped, Buffer.from('["place",2]'))).rejects.toThrow(WrappedKeyRefused)
      await expect(keys.unwrap(wrapped, Buffer.alloc(0))).rejects.toThrow(WrappedKeyRefused)
      for (const at of [-1, -8, -20])
        await expect(keys.unwrap(flipped(wrapped, at), context)).rejects.toThrow()
      const cut = { ...wrapped, bytes: wrapped.bytes.subarray(0, -4) }
      await expect(keys.unwrap(cut, context)).rejects.toThrow(WrappedKeyRefused)
      await expect(keys.unwrap({ ...wrapped, bytes: Buffer.alloc(0) }, context)).rejects.toThrow(
        WrappedKeyRefused,
      )
    })

    it('wraps under the next key after a rotation, in every process, and unwraps the former', async () => {
      const keys = await open()
      const running = await reopen()
      const dataKey = randomBytes(32)
      const before = await running.wrap(dataKey, context)
      const next = await keys.rotate()
      expect(next).not.toBe(before.keyId)
      expect([await keys.presentId(), await running.presentId()]).toEqual([next, next])
      expect((await running.wrap(dataKey, context)).keyId).toBe(next)
      expect(await running.unwrap(before, context)).toEqual(dataKey)
      expect(await keys.unwrap(before, context)).toEqual(dataKey)
    })

    it('has none of a key that there is not', async () => {
      const keys = await open()
      const wrapped = await keys.wrap(randomBytes(32), context)
      await expect(keys.unwrap({ ...wrapped, keyId: `${keys.prefix}:999` }, context)).rejects.toThrow()
    })
  })
}
