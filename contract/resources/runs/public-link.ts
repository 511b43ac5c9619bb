import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ArtifactId, RunId } from '../../identifiers.ts'
import { publicLinkTokenMaxLength, publicLinkTokenMinLength } from '../../limits.ts'
import { DateTime, Nullable, OneOf } from '../../schema.ts'

const Token = Type.String({ minLength: publicLinkTokenMinLength, maxLength: publicLinkTokenMaxLength })

/** Placeholder token for the revocation of a link that never existed; its `url` is then empty. */
export const neverMintedToken = '0'.repeat(publicLinkTokenMinLength)

export const publicLinkKinds = ['log', 'output'] as const
export type PublicLinkKind = (typeof publicLinkKinds)[number]

/** A permanent URL of a run's log or output that needs no login. */
export const PublicLink = Type.Object({
  run_id: RunId,
  object_kind: about('Kind of the object that the link downloads.', OneOf(publicLinkKinds), 'output'),
  url: about(
    'The permanent address; empty for a link that never existed.',
    Type.String(),
    'https://sandbox.example.com/public/sandbox/artifacts/Zk3xQ9bTn5YpLw2R',
  ),
  token: about('Last part of the address.', Token, 'Zk3xQ9bTn5YpLw2R'),
  revoked: about('Whether the link is dead.', Type.Boolean(), false),
  created_at: about('When it was created; null for a link that never existed.', Nullable(DateTime)),
})
export type PublicLink = Static<typeof PublicLink>

/** A permanent URL of one artifact that needs no login. */
export const ArtifactPublicLink = Type.Object({
  run_id: RunId,
  artifact_id: ArtifactId,
  relative_path: about(
    'Path of the file below the artifacts folder, for display.',
    Type.String(),
    'charts/sales.png',
  ),
  object_kind: about('Kind of the object that the link downloads.', Type.Literal('artifact')),
  url: about(
    'The permanent address; empty for a link that never existed.',
    Type.String(),
    'https://sandbox.example.com/public/sandbox/artifacts/Zk3xQ9bTn5YpLw2R',
  ),
  token: about('Last part of the address.', Token, 'Zk3xQ9bTn5YpLw2R'),
  revoked: about('Whether the link is dead.', Type.Boolean(), false),
  created_at: about('When it was created; null for a link that never existed.', Nullable(DateTime)),
})
export type ArtifactPublicLink = Static<typeof ArtifactPublicLink>
