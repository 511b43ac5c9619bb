import type { Readable } from 'node:stream'
import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { ObjectStorage } from '../storage/port.ts'
import {
  type Attachment,
  attachmentDocuments,
  emptyDocument,
  type ImageDocuments,
  indexFile,
  type Layers,
  layoutFile,
  maxLayers,
} from './image-documents.ts'
import { blobPath, type LayoutFiles, unpacked } from './provenance/verify-image.ts'

/** Storage prefix of an environment version's OCI image layout. Versions share no layout. */
const layoutOf = (versionId: string) => `images/${versionId}`
const keyOf = (versionId: string, path: string) => `${layoutOf(versionId)}/${path}`
/** Keys of a layer before and after the image is promoted. `at` counts the layers from 0, the lowest. */
export const quarantineKey = (versionId: string, at = 0) =>
  keyOf(versionId, at === 0 ? 'quarantine.tar.zst' : `quarantine.${at}.tar.zst`)
export const layerKey = (versionId: string, digest: string) => keyOf(versionId, blobPath(digest))

/** The stored files of a version's layout. */
export const storedLayout = (storage: ObjectStorage, versionId: string): LayoutFiles => ({
  read: (path, maxBytes) => storage.read(keyOf(versionId, path), maxBytes),
  size: (path) => storage.size(keyOf(versionId, path)),
  open: (path) => storage.get(keyOf(versionId, path)),
})

/**
 * Writes the layout for the quarantined layers, with the image's attachments. Blobs that only an older index named are deleted
 * first; then the index is written, and manifests before the blobs that they name. So after an interruption at any point
 * the index leads to every blob that may be stored.
 */
export async function writeLayout(
  storage: ObjectStorage,
  versionId: string,
  { layers, image, attachments }: { layers: Layers; image: ImageDocuments; attachments: Attachment[] },
): Promise<void> {
  const subject = image.manifest.descriptor
  const attached = attachments.map((attachment) => ({
    kind: attachment.kind,
    ...attachmentDocuments(subject, attachment),
  }))
  const manifests = [image.manifest, ...attached.map(({ manifest }) => manifest)]
  const contents = [image.config, ...attached.map(({ content }) => content), emptyDocument]
  const kept = new Set([
    ...layers.map(({ digest }) => digest),
    ...[...manifests, ...contents].map(({ descriptor }) => descriptor.digest),
  ])
  for (const digest of await namedBlobs(storage, versionId)) {
    if (!kept.has(digest)) await storage.delete(keyOf(versionId, blobPath(digest)))
  }
  const references = attached.map(({ kind, manifest }) => ({ kind, manifest: manifest.descriptor }))
  const blobs = [...manifests, ...contents].map(({ descriptor, bytes }) => ({
    key: keyOf(versionId, blobPath(descriptor.digest)),
    bytes,
  }))
  await storage.putAll([
    { key: keyOf(versionId, 'index.json'), bytes: indexFile(subject, references) },
    ...blobs,
    { key: keyOf(versionId, 'oci-layout'), bytes: layoutFile },
  ])
  for (const [at, { digest }] of layers.entries()) {
    const promoted = layerKey(versionId, digest)
    if ((await storage.size(promoted)) === undefined)
      await storage.move(quarantineKey(versionId, at), promoted)
    else await storage.delete(quarantineKey(versionId, at))
  }
}

/** Copies the promoted layers of a version into the quarantine of another one. */
export async function copyLayers(
  storage: ObjectStorage,
  { from, to }: { from: string; to: string },
  layers: Layers,
): Promise<void> {
  for (const [at, { digest }] of layers.entries()) {
    await storage.copy(layerKey(from, digest), quarantineKey(to, at))
  }
}

/** The uncompressed tar of a layer that is still in quarantine. */
export const openQuarantined = async (
  storage: ObjectStorage,
  versionId: string,
  at: number,
): Promise<Readable> => unpacked(await storage.get(quarantineKey(versionId, at)))

/** Removes the layers that are in quarantine, if any are. */
export async function deleteQuarantined(storage: ObjectStorage, versionId: string): Promise<void> {
  for (let at = 0; at < maxLayers; at += 1) await storage.delete(quarantineKey(versionId, at))
}

/** Removes the layout, the index last, since it lists the blobs. Repeating it is safe. */
export async function deleteLayout(storage: ObjectStorage, versionId: string): Promise<void> {
  for (const digest of await namedBlobs(storage, versionId)) {
    await storage.delete(keyOf(versionId, blobPath(digest)))
  }
  await deleteQuarantined(storage, versionId)
  await storage.delete(keyOf(versionId, 'oci-layout'))
  await storage.delete(keyOf(versionId, 'index.json'))
}

/** Every blob that the index leads to, manifests after the blobs that they name. Damaged documents are skipped. */
async function namedBlobs(storage: ObjectStorage, versionId: string): Promise<string[]> {
  const index = await readNames(storage, keyOf(versionId, 'index.json'))
  const below = index.map(async (digest) => [
    ...(await readNames(storage, keyOf(versionId, blobPath(digest)))),
    digest,
  ])
  return [...new Set((await Promise.all(below)).flat())]
}

const maxDocumentBytes = 1024 ** 2
const bounds = { maxBytes: maxDocumentBytes, maxDepth: 20, maxNodes: 20_000 }
const digestRegExp = new RegExp(digestPattern)

/** All digests in a JSON document; none if the document is missing. */
async function readNames(storage: ObjectStorage, key: string): Promise<string[]> {
  const bytes = await storage.read(key, maxDocumentBytes + 1)
  if (!bytes || bytes.length > maxDocumentBytes) return []
  const names: string[] = []
  try {
    collect(parseStrictJson(bytes, bounds), names)
  } catch {
    return []
  }
  return names
}

function collect(value: unknown, names: string[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'digest' && typeof inner === 'string' && digestRegExp.test(inner)) names.push(inner)
    else collect(inner, names)
  }
}
