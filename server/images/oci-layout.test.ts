import { mkdtempSync, rmSync } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSigningKeys } from '../../testing/build-tools.ts'
import { makeSignedImage } from '../../testing/factories/signed-image.ts'
import type { SigningKeys } from '../base/keys/signing-keys.ts'
import { DiskStorage } from '../storage/disk.ts'
import { deleteLayout, quarantineKey } from './oci-layout.ts'
import { ImageUntrusted, unpacked } from './provenance/verify-image.ts'
import { verifyStored } from './provenance/verify-stored.ts'

const versionId = `ver_${'0'.repeat(32)}`
const layer = Buffer.from('a layer')
let root: string
let tools: { storage: DiskStorage; signing: SigningKeys }

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sandbox-layout-'))
  tools = { storage: new DiskStorage(root), signing: makeSigningKeys() }
})
afterEach(() => rmSync(root, { recursive: true }))

const folder = () => join(root, 'objects/images', versionId)
const promote = async (from = layer) => ({
  id: versionId,
  ...(await makeSignedImage(tools, { versionId, layer: from })),
})

async function files(): Promise<string[]> {
  const entries = await readdir(folder(), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

test('a promoted image is read back by its digest', async () => {
  const image = await promote()
  const read = await verifyStored(tools, image)
  expect(read).toMatchObject({ versionId, digest: image.promotedDigest, config: { env: [], user: '' } })
  expect(read.layers[0].diffId).toBe(image.layerDigest)
  expect(await tools.storage.size(quarantineKey(versionId))).toBeUndefined()
})

test('a stored layer is closed when the reader stops', async () => {
  const stored = Readable.from([zstdCompressSync(layer), Buffer.alloc(10)])
  const plain = unpacked(stored)
  await plain[Symbol.asyncIterator]().next()
  plain.destroy()
  await finished(stored).catch(() => undefined)
  expect(stored.destroyed).toBe(true)
})

test('promoting again after a restart gives the same image and no residue of the first time', async () => {
  const first = await promote()
  const before = await files()
  const second = await promote()
  expect(second).toEqual(first)
  await verifyStored(tools, second)
  expect(await files()).toHaveLength(before.length)
})

test('another build of the version replaces the one before', async () => {
  await promote()
  const before = await files()
  const second = await promote(Buffer.from('another layer'))
  await verifyStored(tools, second)
  expect(await files()).toHaveLength(before.length)
})

test('a layout that was interrupted at any point is removed completely', async () => {
  const { storage } = tools
  const putAll = storage.putAll.bind(storage)
  for (let kept = 0; ; kept += 1) {
    storage.putAll = async (objects) => {
      await putAll(objects.slice(0, kept))
      if (kept < objects.length) throw new Error('cut off')
    }
    const done = await promote().then(
      () => true,
      () => false,
    )
    await deleteLayout(storage, versionId)
    expect(await files().catch(() => [])).toEqual([])
    if (done) break
    expect(kept).toBeLessThan(50)
  }
})

test('a flipped bit in any file is found', async () => {
  const image = await promote()
  for (const path of await files()) {
    const whole = await readFile(path)
    const damaged = Buffer.from(whole)
    const middle = Math.floor(whole.length / 2)
    damaged.writeUInt8((whole[middle] ?? 0) ^ 1, middle)
    await writeFile(path, damaged)
    await expect(verifyStored(tools, image), path).rejects.toThrow(ImageUntrusted)
    await writeFile(path, whole)
  }
  await verifyStored(tools, image)
})

test('a missing file is found', async () => {
  const image = await promote()
  for (const path of await files()) {
    const whole = await readFile(path)
    rmSync(path)
    await expect(verifyStored(tools, image), path).rejects.toThrow(ImageUntrusted)
    await writeFile(path, whole)
  }
})
