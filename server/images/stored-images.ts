import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { ImageConfig } from '../db/tables/environments.ts'
import { installedDigest, type Layer, type Layers } from './image-documents.ts'
import { layerKey, storedLayout } from './oci-layout.ts'
import { verifyLayer } from './provenance/verify-image.ts'
import { type RecordedImage, readSignedImage, type StoredImageTools } from './provenance/verify-stored.ts'

/** The image that a trusted key signed for a version. Only this may run as the version. */
export interface AttestedImage extends ImageConfig {
  versionId: string
  layers: Layers
  /** Under which a host installs it. */
  installedDigest: string
}

/** Lifetime of a cached verification. A retired key or a new signature takes effect after this time. */
const proofLifeMs = 60_000
const maxProofs = 1000

/** Verified images by version, with a cache of verifications. */
export class StoredImages {
  readonly #tools: StoredImageTools & { clock: Clock }
  readonly #proofs = new Map<string, { image: AttestedImage; endsAtMs: number }>()

  constructor(tools: StoredImageTools & { clock: Clock }) {
    this.#tools = tools
  }

  /** Throws `ImageUntrusted` if no image was signed for the version, or the version's row differs. */
  async attested(version: RecordedImage): Promise<AttestedImage> {
    const claim = `${version.id} ${version.promotedDigest} ${version.layerDigest}`
    const nowMs = this.#tools.clock.now().getTime()
    const proof = this.#proofs.get(claim)
    if (proof && nowMs < proof.endsAtMs) return proof.image
    this.#proofs.delete(claim)
    const { versionId, layers, config } = await readSignedImage(this.#tools, version)
    const image = { versionId, layers, installedDigest: installedDigest(layers), ...config }
    if (this.#proofs.size >= maxProofs) this.#proofs.clear()
    this.#proofs.set(claim, { image, endsAtMs: nowMs + proofLifeMs })
    return image
  }

  /** Opens the stored bytes of a layer of the image after verifying them. Throws `ImageUntrusted`, `ObjectMissing`. */
  async open({ versionId }: AttestedImage, layer: Layer): Promise<Readable> {
    const { storage } = this.#tools
    await verifyLayer(storedLayout(storage, versionId), layer)
    return storage.get(layerKey(versionId, layer.digest))
  }
}
