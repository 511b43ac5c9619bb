import { expect, it } from 'vitest'
import { sha256Of } from '../../base/sha256.ts'
import { treeOf } from './tree.ts'
import { VerifiedFiles } from './verified-files.ts'

const large = Buffer.alloc(100_000, 'large')
const small = Buffer.from('small')
const pack = { stamp: 'first', bytes: Buffer.concat([large, small]) }
const file = (path: string, bytes: Buffer, offset: number) => ({
  ...{ kind: 'file' as const, path, mode: 0o644, modifiedAt: 5, pack: 'spk_1', offset },
  ...{ byteSize: bytes.length, digest: sha256Of(bytes) },
})
const tree = treeOf([file('large', large, 0), file('small', small, large.length)])

function setUp() {
  const stored = { ...pack, now: new Date(0), read: [] as number[] }
  const storage = {
    opened: async () => ({
      byteSize: stored.bytes.length,
      stamp: stored.stamp,
      async *read(start: number, end: number) {
        stored.read.push(end - start)
        yield stored.bytes.subarray(start, end)
      },
      close: async () => undefined,
    }),
  }
  const files = new VerifiedFiles(storage, { now: () => stored.now })
  const check = async (companyId = 'cmp_1') => {
    stored.read = []
    return { isUndamaged: await files.areUndamaged(companyId, tree), read: stored.read }
  }
  return { stored, check }
}

it('a large file that was undamaged is read again after an hour, and for another company at once', async () => {
  const { stored, check } = setUp()
  expect(await check()).toEqual({ isUndamaged: true, read: [100_000, 5] })
  expect(await check()).toEqual({ isUndamaged: true, read: [5] })
  expect(await check('cmp_2')).toEqual({ isUndamaged: true, read: [100_000, 5] })
  stored.now = new Date(3_600_000)
  expect(await check()).toEqual({ isUndamaged: true, read: [100_000, 5] })
})

it('damage is found when the object is another one, and is not remembered', async () => {
  const { stored, check } = setUp()
  await check()
  Object.assign(stored, { stamp: 'second', bytes: Buffer.alloc(100_005) })
  for (const _ of [1, 2]) expect(await check()).toEqual({ isUndamaged: false, read: [100_000] })
  Object.assign(stored, pack)
  expect(await check()).toEqual({ isUndamaged: true, read: [5] })
})
