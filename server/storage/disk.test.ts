import { mkdir, mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { isStorageAway } from './away.ts'
import { storageConformance } from './conformance.ts'
import { DiskStorage } from './disk.ts'

const newRoot = () => mkdtemp(join(tmpdir(), 'sandbox-objects-'))

storageConformance('disk', async () => new DiskStorage(await newRoot()))

const foldersBelow = (root: string) => readdir(join(root, 'objects'), { recursive: true })

it('an object takes the folders along that nothing else is in', async () => {
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

it('folders that were left empty are found and removed', async () => {
  const root = await newRoot()
  const storage = new DiskStorage(root)
  await storage.put('runs/a/1/log', Buffer.from('x'))
  for (const left of ['runs/b/1', 'runs/c', 'builds/d']) {
    await mkdir(join(root, 'objects', left), { recursive: true })
  }
  expect(await storage.removeEmptyFolders()).toBe(5)
  expect((await foldersBelow(root)).toSorted()).toEqual(['runs', 'runs/a', 'runs/a/1', 'runs/a/1/log'])
})

it('what is stored while its folder is removed as empty is there', async () => {
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

it('stores nothing that would take the last space of the disk, and says so as a full disk does', async () => {
  const root = await newRoot()
  const full = new DiskStorage(root, Number.MAX_SAFE_INTEGER)
  const refusals = await Promise.allSettled([
    full.put('a', Buffer.from('x')),
    full.put('b', Readable.from([Buffer.from('x')])),
    full.putAll([{ key: 'c', bytes: Buffer.from('x') }]),
  ])
  for (const refusal of refusals) {
    expect(refusal.status === 'rejected' && isStorageAway(refusal.reason)).toBe(true)
  }
  expect(await full.hasSpace()).toBe(false)
  expect(await new DiskStorage(root, 1).hasSpace()).toBe(true)
  expect(await readdir(root)).toEqual(['incoming'])
})
