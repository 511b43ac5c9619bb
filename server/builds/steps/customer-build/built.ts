import type { BuildNetwork } from '@sandbox-jobs/contract/resources/builds/build-network.ts'
import type { ImageConfig } from '../../../db/tables/environments.ts'
import type { Layers } from '../../../images/image-documents.ts'
import type { NamedDigest } from '../../../images/provenance/statement.ts'
import type { BaseLayer } from '../../cache/base-layer.ts'
import type { CachedStage } from '../../cache/cached-stage.ts'

/** The image in quarantine, made by a builder or reused from an earlier build, and its inputs. */
export interface Built {
  layers: Layers
  unpackedBytes: number
  imageConfig: ImageConfig
  builderVersion: string
  /** Base images as they were when the build started. */
  baseImages: NamedDigest[]
  /** Cached stages that the builder started from. */
  cachedStages: CachedStage[]
  /** The layer of the base image, if the image has one and was built now. */
  baseLayer?: BaseLayer | undefined
  /** Destinations that the steps reached; absent for a build without network, or where no builder ran. */
  reach?: BuildNetwork
  /** When the oldest build started that ran one of its steps with a network; null: none had one. */
  networkSince: Date | null
  /** Set where no builder ran. */
  reused?: ReusedImage
}

/** The origin of a reused image. */
export interface ReusedImage {
  /** The attempt in which a builder made it. */
  builtBy: string
  /** The version whose image was copied, and the attempt that made it ready. */
  versionId: string
  attemptId: string
  /** Digest of the signed statement of that image. */
  provenanceDigest: string
  /** The composition that passed the smoke test, from that statement. */
  composedDigest: string
}
