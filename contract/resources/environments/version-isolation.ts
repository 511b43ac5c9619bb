import { type Static, Type } from 'typebox'
import { OneOf, Strict } from '../../schema.ts'

/** Isolation between the runs of a version and the host's kernel, weakest first. */
export const isolations = ['standard', 'gvisor'] as const
export const Isolation = OneOf(isolations)
export type Isolation = Static<typeof Isolation>

export const VersionIsolation = Type.Object({
  /** Requested by the version's owner. */
  isolation: Isolation,
  /** Applied to its runs: at least the deployment's own isolation. */
  effective: Isolation,
})
export type VersionIsolation = Static<typeof VersionIsolation>

export const VersionIsolationRequest = Strict({ isolation: Isolation })
export type VersionIsolationRequest = Static<typeof VersionIsolationRequest>
