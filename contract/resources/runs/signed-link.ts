import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ArtifactId, LinkId, RunId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
import { signedLinkDefaultSeconds, signedLinkMaxSeconds, signedLinkMinSeconds } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Strict } from '../../schema.ts'

export const signedLinkPurposes = ['share', 'media', 'download'] as const

/**
 * `share`: a result page for people. `media`: one raster image, CSV or text file, shown inline and embeddable.
 * `download`: one object as a file. `media` and `download` require `object_kind`, and `artifact_id` for an artifact.
 */
export const SignedLinkCreateRequest = Strict({
  purpose: about(
    '`share`: a page for people. `media`: one image, CSV or text, shown inline. `download`: one file.',
    OneOf(signedLinkPurposes),
    'media',
  ),
  object_kind: about(
    'Kind of the object that `media` and `download` show; left out for `share`.',
    Type.Optional(OneOf(['log', 'output', 'artifact'])),
    'artifact',
  ),
  artifact_id: about('The artifact; required if `object_kind` is `artifact`.', Type.Optional(ArtifactId)),
  expires_in_seconds: about(
    'Seconds until the link dies.',
    Type.Optional(
      Type.Integer({
        minimum: signedLinkMinSeconds,
        maximum: signedLinkMaxSeconds,
        default: signedLinkDefaultSeconds,
      }),
    ),
    604_800,
  ),
})
export type SignedLinkCreateRequest = Static<typeof SignedLinkCreateRequest>

/** A live link to a result. A permanent link has no expiry. */
export const RunLink = Type.Object({
  id: LinkId,
  run_id: RunId,
  purpose: about(
    'Purpose of the link; `permanent` for a public link.',
    OneOf([...signedLinkPurposes, 'permanent']),
  ),
  object_kind: about(
    'Kind of the object that the link shows; `run` for a share page.',
    OneOf(['run', 'log', 'output', 'artifact']),
  ),
  artifact_id: about('The artifact; null for others.', Nullable(ArtifactId), null),
  url: about(
    'The address; empty once the link is revoked.',
    Type.String(),
    'https://sandbox.example.com/public/sandbox/share/Zk3xQ9bTn5YpLw2R',
  ),
  created_by: about('Its creator; empty if unknown.', Type.String(), exampleId('user')),
  created_at: about('When it was created.', DateTime),
  expires_at: about('When it dies; null: when it is revoked.', Nullable(DateTime)),
  revoked: about('Whether the link is dead.', Type.Boolean(), false),
})
export type RunLink = Static<typeof RunLink>

export const RunLinkList = listOf(RunLink)
export type RunLinkList = Static<typeof RunLinkList>
