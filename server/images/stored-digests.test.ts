import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { testFolder } from '../../testing/apps/test-storage.ts'
import { sha256Of } from '../base/sha256.ts'
import { DiskStorage } from '../storage/disk.ts'
import type { OpenedObject } from '../storage/port.ts'
import { StoredDigests } from './stored-digests.ts'

const folder = testFolder()
const storage = new DiskStorage(folder)
let nowMs = 0
let digests: StoredDigests
/** Keys whose bytes were read. */
let read: string[]

beforeEach(async () => {
  read = []
  const opened = async (key: string): Promise<OpenedObject> => {
    const object = await storage.opened(key)
    const noted = (start: number, end: number) => {
      read.push(key)
      return object.read(start, end)
    }
    return { ...object, read: noted }
  }
  digests = new StoredDigests({ opened }, { now: () => new Date(nowMs) })
  await storage.put('layer', Buffer.from('one'))
})

const one = sha256Of(Buffer.from('one'))

it('reads an object once in an hour', async () => {
  expect(await digests.of('layer')).toBe(one)
  nowMs += 3_599_999
  expect([await digests.of('layer'), read]).toEqual([one, ['layer']])
  nowMs += 1
  expect([await digests.of('layer'), read]).toEqual([one, ['layer', 'layer']])
})

it('reads an object again that was replaced, by bytes of the same size too', async () => {
  await digests.of('layer')
  await storage.put('layer', Buffer.from('two'))
  expect(await digests.of('layer')).toBe(sha256Of(Buffer.from('two')))
})

it('reads neither a copy nor a moved object again', async () => {
  await digests.of('layer')
  await storage.copy('layer', 'copy')
  await storage.move('copy', 'moved')
  expect([await digests.of('moved'), await digests.of('layer'), read]).toEqual([one, one, ['layer']])
})

it('reads an object again whose file was written to', async () => {
  await digests.of('layer')
  await writeFile(join(folder, 'objects/layer'), 'three')
  expect(await digests.of('layer')).toBe(sha256Of(Buffer.from('three')))
})

it('has nothing of an object that is missing', async () => {
  expect(await digests.of('none')).toBeUndefined()
})
