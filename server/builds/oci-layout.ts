import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type { ObjectStorage } from '../storage/port.ts'

/** Where one environment version's image lies: an OCI image layout of its own, shared with no other version. */
const layoutOf = (versionId: string) => `images/${versionId}`
const blobKey = (versionId: string, digest: string) =>
  `${layoutOf(versionId)}/blobs/sha256/${digest.slice('sha256:'.length)}`
/** The layer before the image is promoted. */
export const quarantineKey = (versionId: string) => `${layoutOf(versionId)}/quarantine.tar.zst`

export interface Layer {
  /** Digest and size of the stored, compressed bytes. */
  digest: string
  byteSize: number
  /** Digest of the uncompressed tar. */
  diffId: string
}

interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

const mediaTypes = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+zstd',
}

/** Writes the layout around the quarantined layer and answers the manifest's digest. Repeating it changes nothing. */
export async function writeLayout(
  storage: ObjectStorage,
  versionId: string,
  image: { layer: Layer; env: string[]; user: string },
): Promise<string> {
  const { layer } = image
  const layerKey = blobKey(versionId, layer.digest)
  if ((await storage.size(layerKey)) === undefined) await storage.move(quarantineKey(versionId), layerKey)
  else await storage.delete(quarantineKey(versionId))
  const config = await putJson(storage, versionId, mediaTypes.config, {
    architecture: 'amd64',
    os: 'linux',
    config: { Env: image.env, User: image.user },
    rootfs: { type: 'layers', diff_ids: [layer.diffId] },
  })
  const manifest = await putJson(storage, versionId, mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config,
    layers: [{ mediaType: mediaTypes.layer, digest: layer.digest, size: layer.byteSize }],
  })
  await storage.put(`${layoutOf(versionId)}/index.json`, json({ schemaVersion: 2, manifests: [manifest] }))
  await storage.put(`${layoutOf(versionId)}/oci-layout`, json({ imageLayoutVersion: '1.0.0' }))
  return manifest.digest
}

/** The layer that a manifest names. Every byte on the way to it is verified against its digest; throws `LayoutBroken`. */
export async function verifyLayout(
  storage: ObjectStorage,
  versionId: string,
  manifestDigest: string,
): Promise<Layer> {
  const manifest = await readJson<{ config: Descriptor; layers: Descriptor[] }>(
    storage,
    versionId,
    manifestDigest,
  )
  const config = await readJson<{ rootfs: { diff_ids: string[] } }>(
    storage,
    versionId,
    manifest.config.digest,
  )
  const [layer] = manifest.layers
  const [diffId] = config.rootfs.diff_ids
  if (!layer || !diffId || manifest.layers.length !== 1) throw new LayoutBroken('manifest')
  const stored = await digestOf(storage, blobKey(versionId, layer.digest))
  if (stored.digest !== layer.digest || stored.byteSize !== layer.size) throw new LayoutBroken('layer')
  return { digest: layer.digest, byteSize: layer.size, diffId }
}

/** The uncompressed tar of a promoted layer. */
export const openLayer = async (
  storage: ObjectStorage,
  versionId: string,
  digest: string,
): Promise<Readable> => decompressed(await storage.get(blobKey(versionId, digest)))

/** The uncompressed tar of the layer that is still in quarantine. */
export const openQuarantined = async (storage: ObjectStorage, versionId: string): Promise<Readable> =>
  decompressed(await storage.get(quarantineKey(versionId)))

/** The bytes behind a stored layer; an error of the source ends the stream with it. */
function decompressed(layer: Readable): Readable {
  const plain = createZstdDecompress()
  layer.on('error', (error) => plain.destroy(error))
  return layer.pipe(plain)
}

/** Removes the layout, its manifest last: as long as that is there, it tells what else may be. Repeating it is safe. */
export async function deleteLayout(
  storage: ObjectStorage,
  versionId: string,
  manifestDigest: string,
): Promise<void> {
  const named = await readJson<{ config: Descriptor; layers: Descriptor[] }>(
    storage,
    versionId,
    manifestDigest,
  ).catch((error: unknown) => {
    if (error instanceof LayoutBroken) return undefined
    throw error
  })
  for (const { digest } of named ? [...named.layers, named.config] : []) {
    await storage.delete(blobKey(versionId, digest))
  }
  await storage.delete(quarantineKey(versionId))
  await storage.delete(`${layoutOf(versionId)}/index.json`)
  await storage.delete(`${layoutOf(versionId)}/oci-layout`)
  await storage.delete(blobKey(versionId, manifestDigest))
}

/** What is stored is not what its digest says. */
export class LayoutBroken extends Error {
  constructor(part: string) {
    super(`stored image is damaged: ${part}`)
    this.name = 'LayoutBroken'
  }
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

async function putJson(
  storage: ObjectStorage,
  versionId: string,
  mediaType: string,
  value: unknown,
): Promise<Descriptor> {
  const bytes = json(value)
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  await storage.put(blobKey(versionId, digest), bytes)
  return { mediaType, digest, size: bytes.length }
}

const maxJsonBytes = 1024 ** 2

async function readJson<T>(storage: ObjectStorage, versionId: string, digest: string): Promise<T> {
  const key = blobKey(versionId, digest)
  const size = await storage.size(key)
  if (size === undefined || size > maxJsonBytes) throw new LayoutBroken('blob')
  const bytes = Buffer.concat(await (await storage.get(key)).toArray())
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest) throw new LayoutBroken('blob')
  return JSON.parse(bytes.toString('utf8')) as T
}

async function digestOf(storage: ObjectStorage, key: string): Promise<{ digest: string; byteSize: number }> {
  const hash = createHash('sha256')
  let byteSize = 0
  for await (const chunk of await storage.get(key)) {
    hash.update(chunk as Buffer)
    byteSize += (chunk as Buffer).length
  }
  return { digest: `sha256:${hash.digest('hex')}`, byteSize }
}
