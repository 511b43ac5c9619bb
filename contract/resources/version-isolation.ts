import { type Static, Type } from 'typebox'
import { OneOf, Strict } from '../schema.ts'

/** What runs of a version have between them and the host's kernel, weakest first. */
export const isolations = ['standard', 'gvisor'] as const
export const Isolation = OneOf(isolations)
export type Isolation = Static<typeof Isolation>

export const VersionIsolation = Type.Object({
  /** What the version's owner asks for. */
  isolation: Isolation,
  /** What its runs get: never less than the deployment gives to all. */
  effective: Isolation,
})
export type VersionIsolation = Static<typeof VersionIsolation>

export const VersionIsolationRequest = Strict({ isolation: Isolation })
export type VersionIsolationRequest = Static<typeof VersionIsolationRequest>
