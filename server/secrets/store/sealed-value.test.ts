import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { LocalKeys } from '../keys/local-keys.ts'
import {
  openSealed,
  rewrapped,
  type SealedValue,
  type SecretReference,
  sealValue,
  ValueDamaged,
} from './sealed-value.ts'

const folder = mkdtempSync(join(tmpdir(), 'sandbox-sealed-'))
afterAll(() => rmSync(folder, { recursive: true }))
const keys = new LocalKeys(folder)
keys.prepare()

const place: SecretReference = {
  companyId: 'cmp_1',
  consumerScope: 'chatroom',
  consumerId: 'roo_1',
  taskId: 'tsk_1',
  slotName: 'TOKEN',
  generation: 1,
}
const value = Buffer.from('a value')

it('opens in its place, with a key and a nonce of its own each time', async () => {
  const [one, other] = [await sealValue(keys, place, value), await sealValue(keys, place, value)]
  expect([await openSealed(keys, place, one), await openSealed(keys, place, other)]).toEqual([value, value])
  for (const part of ['wrappedKey', 'iv', 'ciphertext'] as const)
    expect(one[part].equals(other[part])).toBe(false)
  expect(Buffer.concat([one.wrappedKey, one.iv, one.ciphertext]).includes(value)).toBe(false)
})

it.each([
  ['company', { companyId: 'cmp_2' }],
  ['scope of the consumer', { consumerScope: 'department' }],
  ['consumer', { consumerId: 'roo_2' }],
  ['task', { taskId: 'tsk_2' }],
  ['slot', { slotName: 'OTHER' }],
  ['generation', { generation: 2 }],
  ['parts that only look the same together', { taskId: 'tsk_1","TOKEN', slotName: '' }],
])('does not open in the place of another %s', async (_name, other) => {
  const sealed = await sealValue(keys, place, value)
  await expect(openSealed(keys, { ...place, ...other }, sealed)).rejects.toThrow(ValueDamaged)
  await expect(rewrapped(keys, { ...place, ...other }, sealed)).rejects.toThrow(ValueDamaged)
})

it('does not open with a part of another value of the same place, nor with any bit flipped', async () => {
  const [one, other] = [
    await sealValue(keys, place, value),
    await sealValue(keys, place, Buffer.from('another')),
  ]
  const damaged: SealedValue[] = [
    { ...one, wrappedKey: other.wrappedKey },
    { ...one, iv: other.iv },
    { ...one, ciphertext: other.ciphertext },
    { ...one, ciphertext: Buffer.alloc(0) },
    ...(['wrappedKey', 'iv', 'ciphertext'] as const).flatMap((part) =>
      Array.from({ length: one[part].length * 8 }, (_, bit) => {
        const bytes = Buffer.from(one[part])
        bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
        return { ...one, [part]: bytes }
      }),
    ),
  ]
  for (const sealed of damaged) await expect(openSealed(keys, place, sealed)).rejects.toThrow(ValueDamaged)
})

it('keeps its ciphertext under the next key, and opens with it alone then', async () => {
  const before = await sealValue(keys, place, value)
  await keys.rotate()
  const after = { ...before, ...(await rewrapped(keys, place, before)) }
  expect([before.keyId, after.keyId]).toEqual(['local:1', 'local:2'])
  keys.remove(1)
  expect(await openSealed(keys, place, after)).toEqual(value)
})
