import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { storageConformance } from './conformance.ts'
import { DiskStorage } from './disk.ts'
import { isStorageUnavailable } from './unavailable.ts'

const newRoot = () => mkdtemp(join(tmpdir(), 'sandbox-objects-'))

storageConformance('disk', async () => new DiskStorage(await newRoot()))

it('reads an opened object although its key is replaced and deleted', async () => {
  const storage = new DiskStorage(await newRoot())
  await storage.put('key', Buffer.from('first'))
  const object = await storage.opened('key')
  await storage.put('key', Buffer.from('other'))
  await storage.delete('key')
  expect(String(Buffer.concat(await Array.fromAsync(object.read(0, 5))))).toBe('first')
  await object.close()
})

const foldersBelow = (root: string) => readdir(join(root, 'objects'), { recursive: true })

it('deleting an object removes its folders if nothing else is in them', async () => {
  const root = await newRoot()
  const storage = new DiskStorage(root)
  for (const key of ['runs/a/1/log', 'runs/a/1/output', 'runs/b/1/log']) {
    await storage.put(key, Buffer.from('x'))
  }
  await storage.delete('runs/a/1/log')
  await storage.delete('runs/b/1/log')
  expect((await foldersBelow(root)).toSorted()).toEqual(['runs', 'runs/a', 'runs/a/1', 'runs/a/1/output'])
  await storage.move('runs/a/1/output', 'kept')
  await storage.delete('kept')
  expect(await foldersBelow(root)).toEqual([])
})

it('empty folders are found and removed', async () => {
  const root = await newRoot()
  const storage = new DiskStorage(root)
  await storage.put('runs/a/1/log', Buffer.from('x'))
  for (const left of ['runs/b/1', 'runs/c', 'builds/d']) {
    await mkdir(join(root, 'objects', left), { recursive: true })
  }
  expect(await storage.removeEmptyFolders()).toBe(5)
  expect((await foldersBelow(root)).toSorted()).toEqual(['runs', 'runs/a', 'runs/a/1', 'runs/a/1/log'])
})

it('an object is stored although its folder is removed as empty meanwhile', async () => {
  const root = await newRoot()
  const storage = new DiskStorage(root)
  const keep = async (count: number) => {
    await storage.put(`runs/a/1/${count}`, Buffer.from('x'))
    await storage.delete(`runs/a/1/${count}`)
    await storage.put(`runs/a/1/kept${count}`, Buffer.from('x'))
    await storage.delete(`runs/a/1/kept${count}`)
    await storage.put(`runs/a/2/${count}`, Buffer.from('x'))
  }
  await Promise.all(Array.from({ length: 20 }, (_, count) => keep(count)))
  const sizes = Array.from({ length: 20 }, (_, count) => storage.size(`runs/a/2/${count}`))
  expect(new Set(await Promise.all(sizes))).toEqual(new Set([1]))
})

it('refuses an object that would exceed the disk floor, with the error of a full disk', async () => {
  const root = await newRoot()
  const full = new DiskStorage(root, Number.MAX_SAFE_INTEGER)
  const refusals = await Promise.allSettled([
    full.put('a', Buffer.from('x')),
    full.put('b', Readable.from([Buffer.from('x')])),
    full.putAll([{ key: 'c', bytes: Buffer.from('x') }]),
  ])
  for (const refusal of refusals) {
    expect(refusal.status === 'rejected' && isStorageUnavailable(refusal.reason)).toBe(true)
  }
  expect(await full.hasSpace()).toBe(false)
  expect(await new DiskStorage(root, 1).hasSpace()).toBe(true)
  expect(await readdir(root)).toEqual(['incoming'])
})
