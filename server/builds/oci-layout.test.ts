import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { DiskStorage } from '../storage/disk.ts'
import type { ObjectStorage } from '../storage/port.ts'
import { LayoutBroken, quarantineKey, verifyLayout, writeLayout } from './oci-layout.ts'

const versionId = 'ver_01'
const diffId = `sha256:${'1'.repeat(64)}`
let storage: ObjectStorage

beforeEach(async () => {
  storage = new DiskStorage(await mkdtemp(join(tmpdir(), 'sandbox-layout-')))
})

async function promote() {
  const stored = await storage.put(quarantineKey(versionId), Buffer.from('a layer'))
  const layer = { ...stored, diffId }
  return { layer, digest: await writeLayout(storage, versionId, { layer, env: ['A=b'], user: '0:0' }) }
}

test('a promoted image is read back by its digest', async () => {
  const { layer, digest } = await promote()
  expect(await verifyLayout(storage, versionId, digest)).toEqual(layer)
  expect(await storage.size(quarantineKey(versionId))).toBeUndefined()
})

test('promoting again after a restart changes nothing and leaves no quarantine behind', async () => {
  const first = await promote()
  const second = await promote()
  expect(second.digest).toBe(first.digest)
  expect(await storage.size(quarantineKey(versionId))).toBeUndefined()
})

test('a layer that was changed in storage is found', async () => {
  const { layer, digest } = await promote()
  await storage.put(`images/${versionId}/blobs/sha256/${layer.digest.slice(7)}`, Buffer.from('another'))
  await expect(verifyLayout(storage, versionId, digest)).rejects.toThrow(LayoutBroken)
})

test('a manifest that was changed in storage is found', async () => {
  const { digest } = await promote()
  await storage.put(`images/${versionId}/blobs/sha256/${digest.slice(7)}`, Buffer.from('{}'))
  await expect(verifyLayout(storage, versionId, digest)).rejects.toThrow(LayoutBroken)
})
