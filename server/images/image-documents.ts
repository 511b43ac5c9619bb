import { attachmentTypes } from '@sandbox-jobs/contract/resources/builds/provenance.ts'
import { chainDigest, sha256Of } from '../base/sha256.ts'
import type { ImageConfig } from '../db/tables/environments.ts'

/** A document and its descriptor (OCI image format, "Content Descriptors"). */
export interface Document {
  descriptor: Descriptor
  bytes: Buffer
}

export interface Descriptor {
  mediaType: string
  digest: string
  size: number
}

export const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+zstd',
  empty: 'application/vnd.oci.empty.v1+json',
} as const

/** Artifact types of attachments, as registries list them. */
export const artifactTypes = {
  signature: 'application/vnd.dev.cosign.artifact.sig.v1+json',
  provenance: attachmentTypes.provenance,
} as const

export const annotations = {
  cosignSignature: 'dev.cosignproject.cosign/signature',
  keyId: 'sandbox-jobs/key-id',
  predicateType: 'predicateType',
} as const

export interface Layer {
  /** Digest and size of the stored, compressed bytes. */
  digest: string
  byteSize: number
  /** Digest of the uncompressed tar. */
  diffId: string
}

/** The layers of an image, the lowest first. A layer hides what its whiteouts name in those below it. */
export type Layers = readonly [Layer, ...Layer[]]

/** The host mounts no more. */
export const maxLayers = 2

/** The digest under which a host installs an image: the chain digest of its layers, which is that of the tar of a single one. */
export const installedDigest = (layers: Layers): string => {
  const [lowest, ...rest] = layers
  return rest.reduce((lower, { diffId }) => chainDigest(lower, diffId), lowest.diffId)
}

/** Size of the stored layers. */
export const storedBytesOf = (layers: Layers): number =>
  layers.reduce((sum, { byteSize }) => sum + byteSize, 0)

/** The hex digits of a digest. */
export const hexOf = (digest: string): string => digest.slice('sha256:'.length)

const document = (mediaType: string, bytes: Buffer): Document => ({
  descriptor: { mediaType, digest: sha256Of(bytes), size: bytes.length },
  bytes,
})

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

export interface ImageDocuments {
  manifest: Document
  config: Document
}

/** Manifest and configuration of an image. Deterministic. */
export function imageDocuments(image: { layers: Layers } & ImageConfig): ImageDocuments {
  const { layers } = image
  const config = document(
    mediaTypes.config,
    json({
      architecture: 'amd64',
      os: 'linux',
      config: { Env: image.env, User: image.user },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    }),
  )
  const manifest = document(
    mediaTypes.manifest,
    json({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      config: config.descriptor,
      layers: layers.map(({ digest, byteSize: size }) => ({ mediaType: mediaTypes.layer, digest, size })),
    }),
  )
  return { manifest, config }
}

/** A signature or provenance that is stored with an image. */
export interface Attachment {
  kind: keyof typeof artifactTypes
  bytes: Buffer
  annotations: Record<string, string>
}

/** The empty configuration that an attachment's manifest has to name. */
export const emptyDocument = document(mediaTypes.empty, Buffer.from('{}'))

/** The documents of an attachment: an artifact that refers to its image. */
export function attachmentDocuments(
  subject: Descriptor,
  { kind, bytes, annotations: notes }: Attachment,
): { manifest: Document; content: Document } {
  const content = document(attachmentTypes[kind], bytes)
  const manifest = document(
    mediaTypes.manifest,
    json({
      schemaVersion: 2,
      mediaType: mediaTypes.manifest,
      artifactType: artifactTypes[kind],
      config: emptyDocument.descriptor,
      layers: [{ ...content.descriptor, annotations: notes }],
      subject,
    }),
  )
  return { manifest, content }
}

export const layoutFile = json({ imageLayoutVersion: '1.0.0' })

/** The index: the image first, then its attachments. */
export const indexFile = (
  image: Descriptor,
  attached: { kind: Attachment['kind']; manifest: Descriptor }[],
) =>
  json({
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: [
      image,
      ...attached.map(({ kind, manifest }) => ({ ...manifest, artifactType: artifactTypes[kind] })),
    ],
  })
