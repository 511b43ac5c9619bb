import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { ArchiveRefused } from '../formats/archive-refused.ts'
import { ByteReader, bounded } from '../formats/byte-reader.ts'
import type { RawEntry } from '../formats/raw-entry.ts'
import { readTar } from '../formats/tar/tar-reader.ts'
import { checkBaseConfig } from './base-config.ts'
import { flatImageBounds } from './flat-image.ts'
import { type ImageManifest, maxManifestBytes, maxPulledBytes, readManifest } from './image-manifest.ts'

/**
 * Reads a pulled image to its end: a tar of `manifest.json`, which has the digest `wanted`, and then one file
 * for each blob that it names, named by the hex digits of its digest. Verifies every digest, also of the uncompressed
 * layers, and checks the configuration against the rules for base images. Layers are not unpacked: their content is checked
 * in the image that is built on them. Throws `ArchiveRefused`.
 */
export async function checkPulledImage(chunks: AsyncIterable<Buffer>, wanted: string): Promise<void> {
  await readImage(chunks, { wanted, mayLackLayers: false })
}

/**
 * The same for a cached stage from a builder. Returns the digest of its manifest.
 * Layers of the operator's base images are not in it: builders have them in their store.
 */
export const checkCachedStage = (chunks: AsyncIterable<Buffer>): Promise<string> =>
  readImage(chunks, { mayLackLayers: true })

async function readImage(
  chunks: AsyncIterable<Buffer>,
  { wanted, mayLackLayers }: { wanted?: string; mayLackLayers: boolean },
): Promise<string> {
  const limit = { maxBytes: maxPulledBytes, slug: 'archive_too_large' } as const
  const entries = readTar(new ByteReader(bounded(chunks, limit)))
  const first = (await entries.next()).value
  if (!first || nameOf(first) !== 'manifest.json') throw new ArchiveRefused('base_image_malformed')
  const bytes = await wholeOf(first, maxManifestBytes)
  const digest = sha256Of(bytes)
  if (wanted !== undefined && digest !== wanted) throw new ArchiveRefused('base_digest_mismatch')
  const manifest = readManifest(bytes)
  const { document, diffIds } = await readBlobs(entries, manifest)
  const found = manifest.layers.map(({ digest: layer, isCompressed }) =>
    // The digest of an uncompressed layer is its diff id. A layer that is present is verified.
    mayLackLayers && !isCompressed ? (diffIds.get(layer) ?? layer) : diffIds.get(layer),
  )
  if (document === undefined || !found.every((diffId) => diffId !== undefined)) {
    throw new ArchiveRefused('base_image_malformed')
  }
  checkBaseConfig(document, found)
  return digest
}

/** The configuration, and for each present layer the digest of its uncompressed content. */
async function readBlobs(
  entries: AsyncIterable<RawEntry>,
  { config, layers }: ImageManifest,
): Promise<{ document: unknown; diffIds: Map<string, string> }> {
  let document: unknown
  const diffIds = new Map<string, string>()
  const room = { left: flatImageBounds.maxBytes }
  for await (const entry of entries) {
    const digest = `sha256:${nameOf(entry)}`
    const layer = layers.find((one) => one.digest === digest)
    const stated = layer ?? config
    if (stated.digest !== digest || stated.byteSize !== entry.byteSize) {
      throw new ArchiveRefused('base_image_malformed')
    }
    if (layer) diffIds.set(digest, await verifiedLayer(entry, layer, room))
    else document = parsedConfig(await wholeOf(entry, stated.byteSize), digest)
  }
  return { document, diffIds }
}

/** Verifies a layer's digest, and returns the digest of its uncompressed content. */
async function verifiedLayer(
  { body }: RawEntry,
  { digest, isCompressed }: ImageManifest['layers'][number],
  room: { left: number },
): Promise<string> {
  const [stored, unpacked] = [createHash('sha256'), createHash('sha256')]
  async function* hashed() {
    for await (const bytes of body) {
      stored.update(bytes)
      yield bytes
    }
  }
  try {
    const source = Readable.from(hashed())
    for await (const bytes of isCompressed ? source.compose(createGunzip()) : source) {
      room.left -= (bytes as Buffer).length
      if (room.left < 0) throw new ArchiveRefused('base_image_too_large')
      unpacked.update(bytes as Buffer)
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    throw code.startsWith('Z_') ? new ArchiveRefused('base_image_malformed') : error
  }
  if (`sha256:${stored.digest('hex')}` !== digest) throw new ArchiveRefused('base_digest_mismatch')
  return `sha256:${unpacked.digest('hex')}`
}

function parsedConfig(bytes: Buffer, digest: string): unknown {
  if (sha256Of(bytes) !== digest) throw new ArchiveRefused('base_digest_mismatch')
  try {
    return parseStrictJson(bytes, { maxBytes: bytes.length, maxDepth: 20, maxNodes: 50_000 })
  } catch {
    throw new ArchiveRefused('base_image_malformed')
  }
}

function nameOf({ kind, name }: RawEntry): string {
  if (kind !== 'file') throw new ArchiveRefused('base_image_malformed')
  return name.toString('latin1')
}

async function wholeOf({ body, byteSize }: RawEntry, maxBytes: number): Promise<Buffer> {
  if (byteSize > maxBytes) throw new ArchiveRefused('base_image_malformed')
  const chunks: Buffer[] = []
  for await (const bytes of body) chunks.push(bytes)
  return Buffer.concat(chunks)
}
