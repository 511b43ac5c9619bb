import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { OneOf, Strict } from '../../schema.ts'

/**
 * Results that builds of a version may reuse from earlier builds of the company: nothing, or a whole image with the same
 * inputs.
 */
export const buildCaches = ['none', 'images'] as const
export const BuildCache = OneOf(buildCaches)
export type BuildCache = Static<typeof BuildCache>

export const VersionBuildCache = Type.Object({
  cache: about(
    'Results that builds may reuse: `none`, or `images` that were built from the same inputs.',
    BuildCache,
    'images',
  ),
})
export type VersionBuildCache = Static<typeof VersionBuildCache>

export const VersionBuildCacheRequest = Strict({
  cache: about(
    'Results that builds may reuse: `none`, or `images` that were built from the same inputs.',
    BuildCache,
    'images',
  ),
})
export type VersionBuildCacheRequest = Static<typeof VersionBuildCacheRequest>
