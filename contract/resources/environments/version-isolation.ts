import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { OneOf, Strict } from '../../schema.ts'

/** Isolation between the runs of a version and the host's kernel, weakest first. */
export const isolations = ['standard', 'gvisor'] as const
export const Isolation = OneOf(isolations)
export type Isolation = Static<typeof Isolation>

export const VersionIsolation = Type.Object({
  isolation: about("Isolation from the host's kernel that the owner asked for.", Isolation),
  effective: about("Isolation that runs get: at least the deployment's own.", Isolation),
})
export type VersionIsolation = Static<typeof VersionIsolation>

export const VersionIsolationRequest = Strict({
  isolation: about("Isolation of runs from the host's kernel.", Isolation),
})
export type VersionIsolationRequest = Static<typeof VersionIsolationRequest>
