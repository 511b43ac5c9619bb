import { pipeline, type Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import {
  attachmentTypes,
  Envelope,
  statementType,
} from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { TrustedKeys } from '../../base/keys/published-signing-keys.ts'
import { type Signature, verifySignature } from '../../base/keys/signing-keys.ts'
import { settleAll } from '../../base/settle-all.ts'
import { sha256Of, sha256OfAll } from '../../base/sha256.ts'
import type { ImageConfig } from '../../db/tables/environments.ts'
import { annotations, hexOf, type Layer, type Layers } from '../image-documents.ts'
import { openEnvelope } from './dsse.ts'
import { AttachmentManifest, ImageConfiguration, ImageManifest, Index, LayoutFile } from './image-schemas.ts'
import { readSignedPayload } from './image-signature.ts'
import { readStatement, type Statement } from './statement.ts'

/*
 * Verifies an image with only the files of its layout and public keys: no network, no database. Each file is reached by a
 * digest in a file that was verified before. The start of the chain, index.json, is trusted only because a
 * signature at the end covers the digest of the manifest that it names.
 *
 *   oci-layout, index.json ─ manifest ─ config, layers
 *                          ├ signature manifest ─ payload ─ names the manifest, signed
 *                          └ provenance manifest ─ envelope ─ statement names the manifest, signed
 */

/** Files of one layout, by path. */
export interface LayoutFiles {
  /** The first `maxBytes` of a file; undefined when there is no such file. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>
  /** Undefined when there is no such file. */
  size(path: string): Promise<number | undefined>
  open(path: string): Promise<Readable>
}

/** In the order of verification. */
export const imageChecks = ['layout', 'manifest', 'signature', 'provenance', 'layer'] as const
export type ImageCheck = (typeof imageChecks)[number]

/** A stored image that fails verification; `slug` names the fault. */
export class ImageUntrusted extends Error {
  readonly slug: string
  constructor(slug: string) {
    super(`image cannot be trusted: ${slug}`)
    this.name = 'ImageUntrusted'
    this.slug = slug
  }
}

export interface ImageSigned {
  /** The environment version that the image was made for. */
  versionId: string
  /** Digest of the image's manifest. */
  digest: string
  layers: Layers
  config: ImageConfig
  signature: Signature & { payload: Buffer }
  envelope: Envelope
  /** Digest of the envelope's bytes. */
  provenanceDigest: string
  /** The key that signed the statement. */
  keyId: string
  statement: Statement
  /** Paths of the files that were read, without the layers. */
  documents: string[]
}

export interface VerifyOptions {
  trusted: TrustedKeys
  /** Called for each check that passed. */
  onPassed?: (check: ImageCheck, found: string) => void
}

/** Verifies everything but the bytes of the layers, which are hashed when they are unpacked. Throws `ImageUntrusted`. */
export async function verifySigned(layout: LayoutFiles, options: VerifyOptions): Promise<ImageSigned> {
  const passed = options.onPassed ?? (() => undefined)
  const documents = new Set<string>()
  const read: ReadDocument = (path) => layout.read(documents.add(path) && path, maxDocumentBytes + 1)
  const [layoutFile, index] = await settleAll([
    readFile(read, 'oci-layout', 'layout'),
    readFile(read, 'index.json', 'index'),
  ])
  if (!Check(LayoutFile, layoutFile)) throw new ImageUntrusted('layout_invalid')
  if (!Check(Index, index)) throw new ImageUntrusted('index_invalid')
  const [image, signatureOf, provenanceOf] = index.manifests
  passed('layout', 'one image, its signature and its provenance')

  const manifest = await readBlob(read, image, ImageManifest, 'manifest')
  const config = await readBlob(read, manifest.config, ImageConfiguration, 'config')
  const layers = layersOf(manifest, config)
  passed('manifest', image.digest)

  // Read concurrently, reported in order.
  const [signed, attested] = await Promise.allSettled([
    readSignature(read, signatureOf, image.digest, options.trusted),
    readProvenance(read, provenanceOf, image.digest, options.trusted),
  ])
  const signature = fulfilled(signed)
  passed('signature', `key ${signature.keyId}`)

  const proof = fulfilled(attested)
  const { environment_version_id } = proof.statement.predicate.buildDefinition.externalParameters
  if (environment_version_id !== signature.versionId)
    throw new ImageUntrusted('provenance_of_another_version')
  passed('provenance', `key ${proof.keyId}`)
  return {
    versionId: signature.versionId,
    digest: image.digest,
    layers,
    config: { env: config.config.Env, user: config.config.User },
    signature,
    ...proof,
    documents: [...documents],
  }
}

/** Pairs the stored layers with the digests of their content. */
function layersOf(
  manifest: Static<typeof ImageManifest>,
  { rootfs }: Static<typeof ImageConfiguration>,
): Layers {
  const [lowest, ...others] = manifest.layers.flatMap(({ digest, size: byteSize }, at) => {
    const diffId = rootfs.diff_ids[at]
    return diffId === undefined ? [] : [{ digest, byteSize, diffId }]
  })
  const isPaired = rootfs.diff_ids.length === manifest.layers.length
  if (!isPaired || !lowest) throw new ImageUntrusted('config_invalid')
  return [lowest, ...others]
}

function fulfilled<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/**
 * Verifies that the stored layers have the digests in the manifest. `digestOf`: of the stored bytes of a layer; absent: they are
 * read. Throws `ImageUntrusted`.
 */
export async function verifyLayers(files: LayoutFiles, layers: Layers, digestOf?: DigestOf): Promise<void> {
  for (const layer of layers) await verifyLayer(files, layer, digestOf)
}

/** Undefined if the layer is gone. */
type DigestOf = (layer: Layer) => Promise<string | undefined>

/** The same for one layer. */
export async function verifyLayer(
  files: LayoutFiles,
  layer: Layer,
  digestOf: DigestOf = async ({ digest }) => sha256OfAll(await files.open(blobPath(digest))),
): Promise<void> {
  const size = await files.size(blobPath(layer.digest))
  if (size === undefined) throw new ImageUntrusted('layer_missing')
  if (size !== layer.byteSize || (await digestOf(layer)) !== layer.digest)
    throw new ImageUntrusted('layer_damaged')
}

/** The digest of the uncompressed layer. Throws `ImageUntrusted` if it cannot be decompressed. */
export async function unpackedDigest(files: LayoutFiles, layer: Layer): Promise<string> {
  try {
    return await sha256OfAll(unpacked(await files.open(blobPath(layer.digest))))
  } catch {
    throw new ImageUntrusted('layer_damaged')
  }
}

/** Decompresses a stored object. Either stream ends with the other, so that none stays open. */
export const unpacked = (stored: Readable): Readable =>
  pipeline(stored, createZstdDecompress(), () => undefined)

export const blobPath = (digest: string): string => `blobs/sha256/${hexOf(digest)}`

interface Attached {
  digest: string
  size: number
  artifactType: string
}

async function readSignature(read: ReadDocument, of: Attached, image: string, trusted: TrustedKeys) {
  const { content, notes } = await readAttachment(read, of, image, 'signature')
  const signature = {
    keyId: notes[annotations.keyId] ?? '',
    bytes: Buffer.from(notes[annotations.cosignSignature] ?? '', 'base64'),
  }
  requireKnown(trusted, signature.keyId)
  if (!verifySignature(trusted, content, signature)) throw new ImageUntrusted('signature_invalid')
  const signed = readSignedPayload(content)
  if (signed?.manifestDigest !== image) throw new ImageUntrusted('signature_of_another_image')
  return { ...signature, payload: content, versionId: signed.versionId }
}

async function readProvenance(read: ReadDocument, of: Attached, image: string, trusted: TrustedKeys) {
  const { content } = await readAttachment(read, of, image, 'provenance')
  const envelope = parsed(content, 'provenance')
  if (!Check(Envelope, envelope)) throw new ImageUntrusted('provenance_invalid')
  requireKnown(trusted, envelope.signatures[0]?.keyid ?? '')
  const opened = openEnvelope(envelope, statementType, trusted)
  const statement = opened && readStatement(opened.payload)
  if (!opened || !statement) throw new ImageUntrusted('provenance_invalid')
  if (statement.subject[0].digest.sha256 !== hexOf(image))
    throw new ImageUntrusted('provenance_of_another_image')
  return { envelope, provenanceDigest: sha256Of(content), keyId: opened.keyId, statement }
}

function requireKnown(trusted: TrustedKeys, keyId: string): void {
  if (!trusted.has(keyId)) throw new ImageUntrusted('signing_key_unknown')
}

async function readAttachment(
  read: ReadDocument,
  of: Attached,
  image: string,
  part: 'signature' | 'provenance',
) {
  const manifest = await readBlob(read, of, AttachmentManifest, part)
  if (manifest.artifactType !== of.artifactType) throw new ImageUntrusted(`${part}_manifest_invalid`)
  if (manifest.subject.digest !== image) throw new ImageUntrusted(`${part}_of_another_image`)
  await readBlob(read, manifest.config, Type.Object({}, { additionalProperties: false }), part)
  const [content] = manifest.layers
  if (content.mediaType !== attachmentTypes[part]) throw new ImageUntrusted(`${part}_manifest_invalid`)
  return { content: await readDescribed(read, content, part), notes: content.annotations }
}

const maxDocumentBytes = 1024 ** 2
/** Reads a document by path, up to one byte more than `maxDocumentBytes`. */
type ReadDocument = (path: string) => Promise<Buffer | undefined>
const bounds = { maxBytes: maxDocumentBytes, maxDepth: 20, maxNodes: 20_000 }

function parsed(bytes: Buffer, part: string): unknown {
  try {
    return parseStrictJson(bytes, bounds)
  } catch {
    throw new ImageUntrusted(`${part}_invalid`)
  }
}

async function readFile(read: ReadDocument, path: string, part: string): Promise<unknown> {
  const bytes = await read(path)
  if (!bytes) throw new ImageUntrusted(`${part}_missing`)
  if (bytes.length > maxDocumentBytes) throw new ImageUntrusted(`${part}_invalid`)
  return parsed(bytes, part)
}

/** The bytes of a descriptor, verified. */
async function readDescribed(read: ReadDocument, of: { digest: string; size: number }, part: string) {
  const bytes = await read(blobPath(of.digest))
  if (!bytes) throw new ImageUntrusted(`${part}_missing`)
  const isNamed =
    bytes.length === of.size && bytes.length <= maxDocumentBytes && sha256Of(bytes) === of.digest
  if (!isNamed) throw new ImageUntrusted(`${part}_damaged`)
  return bytes
}

async function readBlob<S extends TSchema>(
  read: ReadDocument,
  of: { digest: string; size: number },
  schema: S,
  part: string,
): Promise<Static<S>> {
  const value = parsed(await readDescribed(read, of, part), part)
  if (!Check(schema, value)) throw new ImageUntrusted(`${part}_invalid`)
  return value
}
