import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { publicLinkTokenMaxLength, publicLinkTokenMinLength } from '../../limits.ts'
import { DateTime, Nullable, OneOf } from '../../schema.ts'

const Token = Type.String({ minLength: publicLinkTokenMinLength, maxLength: publicLinkTokenMaxLength })

/** Placeholder token for the revocation of a link that never existed; its `url` is then empty. */
export const neverMintedToken = '0'.repeat(publicLinkTokenMinLength)

export const publicLinkKinds = ['log', 'output'] as const
export type PublicLinkKind = (typeof publicLinkKinds)[number]

/** A permanent URL of a run's log or output that needs no login. */
export const PublicLink = Type.Object({
  run_id: Identifier,
  object_kind: OneOf(publicLinkKinds),
  url: Type.String(),
  token: Token,
  revoked: Type.Boolean(),
  created_at: Nullable(DateTime),
})
export type PublicLink = Static<typeof PublicLink>

/** A permanent URL of one artifact that needs no login. */
export const ArtifactPublicLink = Type.Object({
  run_id: Identifier,
  artifact_id: Identifier,
  relative_path: Type.String(),
  object_kind: Type.Literal('artifact'),
  url: Type.String(),
  token: Token,
  revoked: Type.Boolean(),
  created_at: Nullable(DateTime),
})
export type ArtifactPublicLink = Static<typeof ArtifactPublicLink>
