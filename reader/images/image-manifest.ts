import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { sha256Of } from '../../server/base/sha256.ts'
import { ArchiveRefused } from '../formats/archive-refused.ts'

/*
 * Parses manifests from registries (OCI image format; Docker's image manifest, version 2 schema 2) in a reader
 * process. They are never rewritten: an image keeps the bytes of its digest.
 */

const mib = 1024 ** 2

/** Bound on the compressed layers of one base image. */
export const maxPulledBytes = 4 * 1024 * mib
/** The builder has the same bound. */
export const maxManifestBytes = 4 * mib
export const maxImageConfigBytes = mib

const indexTypes = new Set([
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
])
const manifestTypes = new Set([
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
])
const configTypes = new Set([
  'application/vnd.oci.image.config.v1+json',
  'application/vnd.docker.container.image.v1+json',
])
/** Layer types that every builder reads alike; true for compressed ones. */
const layerTypes = new Map([
  ['application/vnd.oci.image.layer.v1.tar+gzip', true],
  ['application/vnd.docker.image.rootfs.diff.tar.gzip', true],
  ['application/vnd.oci.image.layer.v1.tar', false],
  ['application/vnd.docker.image.rootfs.diff.tar', false],
])
const maxLayers = 127
const digestPattern = /^sha256:[0-9a-f]{64}$/

/** The image that a name refers to in a registry. */
export interface ResolvedName {
  /** Digest of the registry's document: a manifest, or an index of manifests. */
  digest: string
  /** Digest of the manifest for linux/amd64. */
  image: string
}

export interface Blob {
  digest: string
  byteSize: number
}

export interface ImageManifest {
  config: Blob
  layers: (Blob & { isCompressed: boolean })[]
}

/** Reads a registry's document for a name, or for the digest `pinned`. Throws `ArchiveRefused`. */
export function resolveName(bytes: Buffer, pinned: string | undefined): ResolvedName {
  const digest = sha256Of(bytes)
  if (pinned !== undefined && pinned !== digest) throw new ArchiveRefused('base_digest_mismatch')
  const document = parsed(bytes)
  if (!Array.isArray(document.manifests)) {
    readManifest(bytes)
    return { digest, image: digest }
  }
  if (document.schemaVersion !== 2 || !isAmong(indexTypes, document.mediaType)) {
    throw new ArchiveRefused('base_manifest_unsupported')
  }
  const chosen = document.manifests.map(record).find(({ platform, mediaType }) => {
    const { os, architecture } = record(platform)
    return os === 'linux' && architecture === 'amd64' && isAmong(manifestTypes, mediaType)
  })
  if (!chosen) throw new ArchiveRefused('base_platform_missing')
  return { digest, image: digestOf(chosen.digest) }
}

/** Reads the manifest of one image. Throws `ArchiveRefused`. */
export function readManifest(bytes: Buffer): ImageManifest {
  const { schemaVersion, mediaType, config, layers } = parsed(bytes)
  if (schemaVersion !== 2 || !isAmong(manifestTypes, mediaType) || !Array.isArray(layers)) {
    throw new ArchiveRefused('base_manifest_unsupported')
  }
  const { mediaType: configType } = record(config)
  if (typeof configType !== 'string' || !configTypes.has(configType)) {
    throw new ArchiveRefused('base_manifest_unsupported')
  }
  if (layers.length > maxLayers) throw new ArchiveRefused('base_image_too_large')
  const manifest = { config: blobOf(record(config)), layers: layers.map(record).map(layerOf) }
  const byteSize = manifest.layers.reduce((sum, layer) => sum + layer.byteSize, 0)
  if (manifest.config.byteSize > maxImageConfigBytes || byteSize > maxPulledBytes) {
    throw new ArchiveRefused('base_image_too_large')
  }
  return manifest
}

/** Refuses layers with URLs: every layer has to be in the registry. */
function layerOf(said: JsonObject): ImageManifest['layers'][number] {
  const isCompressed = layerTypes.get(String(said.mediaType))
  if (isCompressed === undefined || said.urls !== undefined)
    throw new ArchiveRefused('base_layer_unsupported')
  return { ...blobOf(said), isCompressed }
}

function blobOf({ digest, size }: JsonObject): Blob {
  if (!Number.isSafeInteger(size) || Number(size) < 0) throw new ArchiveRefused('base_image_malformed')
  return { digest: digestOf(digest), byteSize: Number(size) }
}

function digestOf(value: unknown): string {
  if (typeof value === 'string' && digestPattern.test(value)) return value
  throw new ArchiveRefused('base_image_malformed')
}

/** Any JSON object; every field has to be checked before use. */
export type JsonObject = Record<string, unknown>

export const record = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

/** A document may omit its media type. */
const isAmong = (types: ReadonlySet<string>, mediaType: unknown): boolean =>
  mediaType === undefined || (typeof mediaType === 'string' && types.has(mediaType))

function parsed(bytes: Buffer): JsonObject {
  try {
    return record(parseStrictJson(bytes, { maxBytes: maxManifestBytes, maxDepth: 10, maxNodes: 20_000 }))
  } catch {
    throw new ArchiveRefused('base_image_malformed')
  }
}
