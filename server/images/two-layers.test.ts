import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeSigningKeys } from '../../testing/build-tools.ts'
import { makeSignedImage } from '../../testing/factories/signed-image.ts'
import { chainDigest, sha256Of } from '../base/sha256.ts'
import { DiskStorage } from '../storage/disk.ts'
import { copyLayers, deleteLayout, layerKey, openQuarantined } from './oci-layout.ts'
import { unpacked } from './provenance/verify-image.ts'
import { verifyStored } from './provenance/verify-stored.ts'

/* Signed images of two layers. */

const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-layers-'))
afterAll(() => rmSync(folder, { recursive: true }))
const tools = { storage: new DiskStorage(folder), signing: makeSigningKeys() }
const versionId = `ver_${'1'.repeat(32)}`
const [lower, layer] = [Buffer.from('the base'), Buffer.from('what lies above')]
let recorded: { id: string; promotedDigest: string; layerDigest: string }

beforeEach(async () => {
  await deleteLayout(tools.storage, versionId)
  recorded = { id: versionId, ...(await makeSignedImage(tools, { versionId, lower, layer })) }
})

test('both layers are verified, and the version is named by their chain', async () => {
  const { layers, statement } = await verifyStored(tools, recorded)
  expect(layers.map(({ diffId }) => diffId)).toEqual([sha256Of(lower), sha256Of(layer)])
  expect(recorded.layerDigest).toBe(chainDigest(sha256Of(lower), sha256Of(layer)))
  const named = statement.predicate.runDetails.byproducts.filter(({ name }) => name === 'layer')
  expect(named.map(({ digest }) => `sha256:${digest.sha256}`)).toEqual(layers.map(({ diffId }) => diffId))
  const stored = await tools.storage.get(layerKey(versionId, layers[0].digest))
  expect(await text(unpacked(stored))).toBe('the base')
})

test.each([0, 1])('layer %i that is damaged, or missing, is noticed', async (at) => {
  const { layers } = await verifyStored(tools, recorded)
  const key = layerKey(versionId, layers[at]?.digest ?? '')
  await writeFile(join(folder, 'objects', key), Buffer.alloc(layers[at]?.byteSize ?? 0))
  await expect(verifyStored(tools, recorded)).rejects.toMatchObject({ slug: 'layer_damaged' })
  await tools.storage.delete(key)
  await expect(verifyStored(tools, recorded)).rejects.toMatchObject({ slug: 'layer_missing' })
})

test('the digest of the upper layer alone is not that of the version', async () => {
  const alone = { ...recorded, layerDigest: sha256Of(layer) }
  await expect(verifyStored(tools, alone)).rejects.toMatchObject({ slug: 'layer_digest_differs' })
})

test('the layers of one version are copied for another one, each in its place', async () => {
  const { layers } = await verifyStored(tools, recorded)
  const to = `ver_${'2'.repeat(32)}`
  await copyLayers(tools.storage, { from: versionId, to }, layers)
  const contents = [0, 1].map(async (at) => text(await openQuarantined(tools.storage, to, at)))
  expect(await Promise.all(contents)).toEqual(['the base', 'what lies above'])
  await deleteLayout(tools.storage, to)
})
