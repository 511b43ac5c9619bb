import { type Static, Type } from 'typebox'
import { OneOf, Strict } from '../../schema.ts'

/**
 * What builds of a version may reuse from earlier builds of the company: nothing, or a whole image with the same
 * inputs.
 */
export const buildCaches = ['none', 'images'] as const
export const BuildCache = OneOf(buildCaches)
export type BuildCache = Static<typeof BuildCache>

export const VersionBuildCache = Type.Object({ cache: BuildCache })
export type VersionBuildCache = Static<typeof VersionBuildCache>

export const VersionBuildCacheRequest = Strict({ cache: BuildCache })
export type VersionBuildCacheRequest = Static<typeof VersionBuildCacheRequest>
