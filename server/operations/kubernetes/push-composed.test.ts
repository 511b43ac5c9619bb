import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RegistrySession } from '../../../kubernetes/registry/registry-session.ts'
import { makeSigningKeys } from '../../../testing/build-tools.ts'
import { makeSignedImage } from '../../../testing/factories/signed-image.ts'
import { DebianRegistry } from '../../../testing/kubernetes/debian-registry.ts'
import { sha256Of } from '../../base/sha256.ts'
import { mediaTypes } from '../../images/image-documents.ts'
import { layerKey } from '../../images/oci-layout.ts'
import { DiskStorage } from '../../storage/disk.ts'
import type { MadeLayer } from './layer-entries.ts'
import { pushComposed } from './push-composed.ts'
import { runnerLayer } from './runner-layer.ts'

const folder = mkdtempSync(join(tmpdir(), 'push-composed-'))
const tools = { storage: new DiskStorage(folder), signing: makeSigningKeys() }
const [lower, layer] = [Buffer.from('the base'), Buffer.from('what lies above')]
let registry: DebianRegistry
let runner: MadeLayer

beforeAll(async () => {
  registry = await DebianRegistry.start()
  const [busybox, init] = ['busybox', 'init'].map((name) => {
    writeFileSync(join(folder, name), `the program ${name}`)
    return join(folder, name)
  })
  runner = await runnerLayer({ busybox: busybox ?? '', init: init ?? '' })
})
afterAll(async () => {
  await registry.stop()
  rmSync(folder, { recursive: true })
})

const session = () => new RegistrySession({ url: registry.url, repository: 'images' })
const versionOf = async (number: number, user: string) => {
  const id = `ver_${String(number).repeat(32)}`
  return {
    id,
    ...(await makeSignedImage(tools, { versionId: id, lower, layer, user, env: ['NAME=tenant-value'] })),
  }
}
const fetched = async (path: string) => {
  const headers = { accept: `${mediaTypes.manifest}, */*` }
  const answer = await fetch(`${registry.url}/v2/images/${path}`, { headers })
  return Buffer.from(await answer.arrayBuffer())
}

interface Manifest {
  config: { digest: string }
  layers: { digest: string }[]
}

test('a registry has the promoted image as it was signed, and the composed one above the same layers', async () => {
  const version = await versionOf(1, '1000')
  const pushed = await pushComposed(session(), { tools, version, runner })
  expect(pushed.promotedDigest).toBe(version.promotedDigest)
  expect(sha256Of(await fetched(`manifests/${pushed.promotedDigest}`))).toBe(version.promotedDigest)
  const bytes = await fetched(`manifests/${pushed.composedDigest}`)
  expect(sha256Of(bytes)).toBe(pushed.composedDigest)
  const composed = JSON.parse(bytes.toString()) as Manifest
  const promoted = JSON.parse((await fetched(`manifests/${pushed.promotedDigest}`)).toString()) as Manifest
  expect(composed.layers.map(({ digest }) => digest)).toEqual([
    ...promoted.layers.map(({ digest }) => digest),
    runner.digest,
  ])
  expect((await fetched(`blobs/${composed.config.digest}`)).toString()).not.toContain('tenant')
  for (const { digest } of composed.layers) expect(sha256Of(await fetched(`blobs/${digest}`))).toBe(digest)
})

test('versions with the same layers share the composed image', async () => {
  const [one, other] = [await versionOf(2, '1000'), await versionOf(3, '2000')]
  const { composedDigest, promotedDigest } = await pushComposed(session(), { tools, version: one, runner })
  const again = await pushComposed(session(), { tools, version: other, runner })
  expect(again.composedDigest).toBe(composedDigest)
  expect(again.promotedDigest).not.toBe(promotedDigest)
})

test('an image that nobody signed for the version is not pushed', async () => {
  const version = await versionOf(4, '')
  const stranger = { ...tools, signing: makeSigningKeys() }
  await expect(pushComposed(session(), { tools: stranger, version, runner })).rejects.toMatchObject({
    slug: 'signing_key_unknown',
  })
  expect((await fetch(`${registry.url}/v2/images/manifests/v-${version.id}`)).status).toBe(404)
})

test('a layer that is damaged in the store is not taken by the registry', async () => {
  const other = Buffer.from('a layer that no other image has')
  const id = `ver_${'5'.repeat(32)}`
  const version = { id, ...(await makeSignedImage(tools, { versionId: id, layer: other })) }
  const { layers } = JSON.parse(
    (
      await tools.storage.read(`images/${id}/blobs/sha256/${version.promotedDigest.slice(7)}`, 10_000)
    )?.toString() ?? '',
  ) as { layers: { digest: string; size: number }[] }
  const [stored] = layers
  writeFileSync(join(folder, 'objects', layerKey(id, stored?.digest ?? '')), Buffer.alloc(stored?.size ?? 0))
  await expect(pushComposed(session(), { tools, version, runner })).rejects.toMatchObject({ status: 400 })
})

test('the layer of the platform hides the folder of the image, and nobody enters what is closed', () => {
  const listed = execFileSync('tar', ['-tvf', '-'], { input: zstdDecompressSync(runner.bytes) }).toString()
  expect(listed).toMatch(/ \.sandbox\/\.wh\.\.wh\.\.opq$/m)
  expect(listed).toMatch(/^d--------- 0\/0 .* \.sandbox\/closed\/$/m)
  expect(listed).toMatch(/^-rwxr-xr-x 0\/0 .* \.sandbox\/init$/m)
  for (const path of ['workspace', 'tmp', 'var/tmp', 'run', 'root', 'proc'])
    expect(listed).toContain(` ${path}/\n`)
})
