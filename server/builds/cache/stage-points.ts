import type { CachePoint } from '../../../reader/dockerfile/cache-points.ts'
import { canonicalDigest } from '../../base/json/canonical-json.ts'
import type { Build } from '../request/build.ts'
import type { ImageKey } from './build-key.ts'

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
