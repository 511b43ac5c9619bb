import type { Readable } from 'node:stream'
import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { parseStrictJson } from '../base/strict-json.ts'
import type { ObjectStorage } from '../storage/port.ts'
import {
  type Attachment,
  attachmentDocuments,
  emptyDocument,
  type ImageDocuments,
  indexFile,
  type Layer,
  layoutFile,
} from './image-documents.ts'
import { blobPath, type LayoutFiles, unpacked } from './provenance/verify-image.ts'

/** Where one environment version's image lies: an OCI image layout of its own, shared with no other version. */
const layoutOf = (versionId: string) => `images/${versionId}`
const keyOf = (versionId: string, path: string) => `${layoutOf(versionId)}/${path}`
/** The layer before the image is promoted, and then. */
export const quarantineKey = (versionId: string) => keyOf(versionId, 'quarantine.tar.zst')
export const layerKey = (versionId: string, digest: string) => keyOf(versionId, blobPath(digest))

/** The files of a version's layout, as they are stored. */
export const storedLayout = (storage: ObjectStorage, versionId: string): LayoutFiles => ({
  read: (path, maxBytes) => storage.read(keyOf(versionId, path), maxBytes),
  size: (path) => storage.size(keyOf(versionId, path)),
  open: (path) => storage.get(keyOf(versionId, path)),
})

/**
 * Writes the layout around the quarantined layer, with what is said about the image attached to it. The index comes
 * first and manifests before what they name, and blobs that only an older index named are gone before it: whatever is
 * cut off, the index leads to every blob that may be there.
 */
export async function writeLayout(
  storage: ObjectStorage,
  versionId: string,
  { layer, image, attachments }: { layer: Layer; image: ImageDocuments; attachments: Attachment[] },
): Promise<void> {
  const subject = image.manifest.descriptor
  const attached = attachments.map((attachment) => ({
    kind: attachment.kind,
    ...attachmentDocuments(subject, attachment),
  }))
  const manifests = [image.manifest, ...attached.map(({ manifest }) => manifest)]
  const contents = [image.config, ...attached.map(({ content }) => content), emptyDocument]
  const kept = new Set([
    layer.digest,
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
  const promoted = layerKey(versionId, layer.digest)
  if ((await storage.size(promoted)) === undefined) await storage.move(quarantineKey(versionId), promoted)
  else await storage.delete(quarantineKey(versionId))
}

/** The uncompressed tar of a promoted layer. */
export const openLayer = async (
  storage: ObjectStorage,
  versionId: string,
  digest: string,
): Promise<Readable> => unpacked(await storage.get(layerKey(versionId, digest)))

/** The uncompressed tar of the layer that is still in quarantine. */
export const openQuarantined = async (storage: ObjectStorage, versionId: string): Promise<Readable> =>
  unpacked(await storage.get(quarantineKey(versionId)))

/** Removes the layout, its index last: as long as that is there, it tells what else may be. Repeating it is safe. */
export async function deleteLayout(storage: ObjectStorage, versionId: string): Promise<void> {
  for (const digest of await namedBlobs(storage, versionId)) {
    await storage.delete(keyOf(versionId, blobPath(digest)))
  }
  await storage.delete(quarantineKey(versionId))
  await storage.delete(keyOf(versionId, 'oci-layout'))
  await storage.delete(keyOf(versionId, 'index.json'))
}

/** Every blob that the index leads to, whoever wrote it: manifests after what they name. Damaged ones lead nowhere. */
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

/** Digests that a JSON document names anywhere in it; none when there is no such document. */
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
