import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { signedLinkDefaultSeconds, signedLinkMaxSeconds, signedLinkMinSeconds } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Strict } from '../../schema.ts'

export const signedLinkPurposes = ['share', 'media', 'download'] as const

/**
 * `share`: a result page for people. `media`: one raster image, CSV or text file, shown inline and embeddable.
 * `download`: one object as a file. `media` and `download` require `object_kind`, and `artifact_id` for an artifact.
 */
export const SignedLinkCreateRequest = Strict({
  purpose: OneOf(signedLinkPurposes),
  object_kind: Type.Optional(OneOf(['log', 'output', 'artifact'])),
  artifact_id: Type.Optional(Identifier),
  expires_in_seconds: Type.Optional(
    Type.Integer({
      minimum: signedLinkMinSeconds,
      maximum: signedLinkMaxSeconds,
      default: signedLinkDefaultSeconds,
    }),
  ),
})
export type SignedLinkCreateRequest = Static<typeof SignedLinkCreateRequest>

/** A live link to a result. A permanent link has no expiry. */
export const RunLink = Type.Object({
  id: Identifier,
  run_id: Identifier,
  purpose: OneOf([...signedLinkPurposes, 'permanent']),
  object_kind: OneOf(['run', 'log', 'output', 'artifact']),
  artifact_id: Nullable(Identifier),
  url: Type.String(),
  created_by: Type.String(),
  created_at: DateTime,
  expires_at: Nullable(DateTime),
  revoked: Type.Boolean(),
})
export type RunLink = Static<typeof RunLink>

export const RunLinkList = listOf(RunLink)
export type RunLinkList = Static<typeof RunLinkList>
