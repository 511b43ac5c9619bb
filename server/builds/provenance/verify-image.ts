import { createHash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import { attachmentTypes, Envelope, statementType } from '@sandbox-jobs/contract/resources/provenance.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'
import { allEnded } from '../../base/all-ended.ts'
import type { TrustedKeys } from '../../base/published-signing-keys.ts'
import { sha256Of } from '../../base/sha256.ts'
import { type Signature, verifySignature } from '../../base/signing-keys.ts'
import { parseStrictJson } from '../../base/strict-json.ts'
import type { ImageConfig } from '../../db/tables/environments.ts'
import { annotations, hexOf, type Layer } from '../image-documents.ts'
import { openEnvelope } from './dsse.ts'
import { AttachmentManifest, ImageConfiguration, ImageManifest, Index, LayoutFile } from './image-schemas.ts'
import { readSignedPayload } from './image-signature.ts'
import { readStatement, type Statement } from './statement.ts'

/*
 * Proves an image from the files of its layout and public keys alone: no network, no database. Each file is reached by
 * the digest that something proved before it names; what starts the chain, index.json, is believed only because a
 * signature in the end is over the digest of the manifest that it named.
 *
 *   oci-layout, index.json ─ manifest ─ config, layer
 *                          ├ signature manifest ─ payload ─ names the manifest, signed
 *                          └ provenance manifest ─ envelope ─ statement names the manifest, signed
 */

/** Files of one layout by their path in it. */
export interface LayoutFiles {
  /** The first `maxBytes` of a file; undefined when there is no such file. */
  read(path: string, maxBytes: number): Promise<Buffer | undefined>
  /** Undefined when there is no such file. */
  size(path: string): Promise<number | undefined>
  open(path: string): Promise<Readable>
}

/** In the order in which they are proved. */
export const imageChecks = ['layout', 'manifest', 'signature', 'provenance', 'layer'] as const
export type ImageCheck = (typeof imageChecks)[number]

/** The stored image is not what it should be; `slug` names what is wrong with it. */
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
  layer: Layer
  config: ImageConfig
  signature: Signature & { payload: Buffer }
  envelope: Envelope
  /** Of the bytes of the envelope. */
  provenanceDigest: string
  /** The key that signed the statement. */
  keyId: string
  statement: Statement
  /** Paths of the files that were read for this, the layer not among them. */
  documents: string[]
}

export interface VerifyOptions {
  trusted: TrustedKeys
  /** Told of each check that has passed. */
  onPassed?: (check: ImageCheck, found: string) => void
}

/** Everything but the bytes of the layer, which whoever unpacks it hashes. Throws `ImageUntrusted`. */
export async function verifySigned(layout: LayoutFiles, options: VerifyOptions): Promise<ImageSigned> {
  const passed = options.onPassed ?? (() => undefined)
  const documents = new Set<string>()
  const read: ReadDocument = (path) => layout.read(documents.add(path) && path, maxDocumentBytes + 1)
  const [layoutFile, index] = await allEnded([
    readFile(read, 'oci-layout', 'layout'),
    readFile(read, 'index.json', 'index'),
  ])
  if (!Check(LayoutFile, layoutFile)) throw new ImageUntrusted('layout_invalid')
  if (!Check(Index, index)) throw new ImageUntrusted('index_invalid')
  const [image, signatureOf, provenanceOf] = index.manifests
  passed('layout', 'one image, its signature and its provenance')

  const manifest = await readBlob(read, image, ImageManifest, 'manifest')
  const config = await readBlob(read, manifest.config, ImageConfiguration, 'config')
  const [stored] = manifest.layers
  const layer = { digest: stored.digest, byteSize: stored.size, diffId: config.rootfs.diff_ids[0] }
  passed('manifest', image.digest)

  // Read side by side, told one after the other.
  const [signed, attested] = await Promise.allSettled([
    readSignature(read, signatureOf, image.digest, options.trusted),
    readProvenance(read, provenanceOf, image.digest, options.trusted),
  ])
  const signature = given(signed)
  passed('signature', `key ${signature.keyId}`)

  const proof = given(attested)
  const { environment_version_id } = proof.statement.predicate.buildDefinition.externalParameters
  if (environment_version_id !== signature.versionId)
    throw new ImageUntrusted('provenance_of_another_version')
  passed('provenance', `key ${proof.keyId}`)
  return {
    versionId: signature.versionId,
    digest: image.digest,
    layer,
    config: { env: config.config.Env, user: config.config.User },
    signature,
    ...proof,
    documents: [...documents],
  }
}

function given<Value>(settled: PromiseSettledResult<Value>): Value {
  if (settled.status === 'rejected') throw settled.reason
  return settled.value
}

/** The stored bytes of the layer are those that the manifest names. Throws `ImageUntrusted`. */
export async function verifyLayer(files: LayoutFiles, layer: Layer): Promise<void> {
  const path = blobPath(layer.digest)
  const size = await files.size(path)
  if (size === undefined) throw new ImageUntrusted('layer_missing')
  if (size !== layer.byteSize) throw new ImageUntrusted('layer_damaged')
  const hash = createHash('sha256')
  for await (const chunk of await files.open(path)) hash.update(chunk as Buffer)
  if (`sha256:${hash.digest('hex')}` !== layer.digest) throw new ImageUntrusted('layer_damaged')
}

/** The digest of the tar that the stored layer unpacks to. Throws `ImageUntrusted` when it does not unpack. */
export async function unpackedDigest(files: LayoutFiles, layer: Layer): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of unpacked(await files.open(blobPath(layer.digest)))) hash.update(chunk as Buffer)
  } catch {
    throw new ImageUntrusted('layer_damaged')
  }
  return `sha256:${hash.digest('hex')}`
}

/** The bytes behind what is stored compressed. Either stream ends with the other, so that nothing stays open. */
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
/** A document by its path; one that is too large is cut behind `maxDocumentBytes`. */
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

/** The bytes that a descriptor names, and no others. */
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
