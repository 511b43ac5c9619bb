import type { Readable } from 'node:stream'
import type { Clock } from '../base/clock.ts'
import type { ImageConfig } from '../db/tables/environments.ts'
import type { Layer } from './image-documents.ts'
import { openLayer, storedLayout } from './oci-layout.ts'
import { verifyLayer } from './provenance/verify-image.ts'
import { type RecordedImage, readSignedImage, type StoredImageTools } from './provenance/verify-stored.ts'

/** What may run as a version: what a trusted key signed for it, whatever the version's row says. */
export interface AttestedImage extends ImageConfig {
  versionId: string
  layer: Layer
}

/** So long a proof is believed: a key that was retired, and an image that was signed anew, count after this time. */
const proofLifeMs = 60_000
const maxProofs = 1000

/** Promoted images by the version that they were signed for. */
export class StoredImages {
  readonly #tools: StoredImageTools & { clock: Clock }
  readonly #proofs = new Map<string, { image: AttestedImage; endsAtMs: number }>()

  constructor(tools: StoredImageTools & { clock: Clock }) {
    this.#tools = tools
  }

  /** Throws `ImageUntrusted` when nothing was signed for the version, or its row says something else. */
  async attested(version: RecordedImage): Promise<AttestedImage> {
    const claim = `${version.id} ${version.promotedDigest} ${version.layerDigest}`
    const nowMs = this.#tools.clock.now().getTime()
    const proof = this.#proofs.get(claim)
    if (proof && nowMs < proof.endsAtMs) return proof.image
    this.#proofs.delete(claim)
    const { versionId, layer, config } = await readSignedImage(this.#tools, version)
    const image = { versionId, layer, ...config }
    if (this.#proofs.size >= maxProofs) this.#proofs.clear()
    this.#proofs.set(claim, { image, endsAtMs: nowMs + proofLifeMs })
    return image
  }

  /** The uncompressed layer, its stored bytes verified first. Throws `ImageUntrusted`, `ObjectMissing`. */
  async open({ versionId, layer }: AttestedImage): Promise<Readable> {
    const { storage } = this.#tools
    await verifyLayer(storedLayout(storage, versionId), layer)
    return openLayer(storage, versionId, layer.digest)
  }
}
