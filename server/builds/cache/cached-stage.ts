import { digestPattern } from '@sandbox-jobs/contract/digest.ts'
import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { CachePoint } from '../../../reader/dockerfile/cache-points.ts'
import { canonicalDigest } from '../../base/json/canonical-json.ts'
import { openEnvelope, sealEnvelope } from '../../images/provenance/dsse.ts'
import type { Build, BuildTools } from '../request/build.ts'
import type { ImageKey } from './build-key.ts'
import type { CachedStageRow } from './cached-stage-store.ts'

/*
 * The signed record of a cached stage, the result of a stage's first instructions: which bytes belong to which key of which
 * company. The database row only locates it and proves nothing.
 */

const payloadType = 'application/vnd.sandbox-jobs.build-prefix+json'
const Digest = Type.String({ pattern: digestPattern })

const CachedStageRecord = Type.Object(
  {
    companyId: Type.String(),
    key: Digest,
    /** The attempt that made it. */
    attemptId: Type.String(),
    /** Of the manifest, which fixes layers and configuration. */
    manifestDigest: Digest,
    /** Of the stored, compressed object. `tarBytes` is the uncompressed size. */
    objectDigest: Digest,
    byteSize: Type.Integer({ minimum: 1 }),
    tarBytes: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
)
export type CachedStageRecord = Static<typeof CachedStageRecord>

/** A cached stage for a build: it replaces the first `count` instructions of `stage`. */
export interface CachedStage extends CachedStageRecord, Pick<CachedStageRow, 'networkSince'> {
  stage: number
  count: number
}

export const signedStage = (record: CachedStageRecord, signing: Pick<BuildTools['signing'], 'sign'>) =>
  sealEnvelope(payloadType, Buffer.from(JSON.stringify(record)), (bytes) => signing.sign(bytes))

const bounds = { maxBytes: 4096, maxDepth: 2, maxNodes: 20 }

/** Undefined unless a trusted key signed that this attempt made it for this key of this company. */
export function verifiedStage(
  { companyId, key, attemptId, envelope }: Omit<CachedStageRow, 'networkSince'>,
  signing: Pick<BuildTools['signing'], 'trusted'>,
): CachedStageRecord | undefined {
  const opened = openEnvelope(envelope, payloadType, signing.trusted())
  if (!opened) return undefined
  const record = parseStrictJson(opened.payload, bounds)
  if (!Check(CachedStageRecord, record)) return undefined
  const isOfRow = record.companyId === companyId && record.key === key && record.attemptId === attemptId
  return isOfRow ? record : undefined
}

/** The points after which layers may be cached, each with the key of all its inputs. None if the owner switched the cache off. */
export function stagePoints(
  { request, tools }: Pick<Build, 'request' | 'tools'>,
  { points, imageKey }: { points: readonly CachePoint[]; imageKey: ImageKey | undefined },
): CachePoint[] {
  if (!imageKey || request.cache === 'none') return []
  const { baseImages, toolchainDigest, reach } = imageKey
  return points.map((point) => ({
    ...point,
    key: canonicalDigest({
      point: point.key,
      base_images: Object.fromEntries(baseImages.map(({ name, digest }) => [name, digest])),
      build_profile: request.buildProfile,
      toolchain: toolchainDigest,
      program: tools.builder.programDigest,
      network: reach,
    }),
  }))
}
