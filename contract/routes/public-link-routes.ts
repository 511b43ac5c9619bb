import { Type } from 'typebox'
import { about } from '../about.ts'
import { ArtifactPublicLink, PublicLink } from '../resources/runs/public-link.ts'
import { Strict } from '../schema.ts'
import { publicArtifactPrefix, sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ArtifactParams, RunParams } from './run-routes.ts'

const run = `${sandboxPrefix}/chatrooms/{cid}/runs/{rid}` as const
const log = `${run}/log/public-link` as const
const output = `${run}/output/public-link` as const
const artifact = `${run}/artifacts/{aid}/public-link` as const

const runLink = {
  tag: 'Runs',
  params: RunParams,
  response: PublicLink,
  errors: ['not_found'],
} as const

const artifactLink = {
  tag: 'Runs',
  path: artifact,
  params: ArtifactParams,
  response: ArtifactPublicLink,
  errors: ['not_found'],
} as const

/** Permanent links without login. Creating and revoking are idempotent (contract part 2). */
export const publicLinkRoutes = {
  mintLogLink: route({
    action: 'run.link',
    ...runLink,
    method: 'POST',
    path: log,
    summary: 'Get the public link of the log',
    description:
      'Everybody who has the address can read the log until the link is revoked. A repeat returns the same link. For a link that expires, use createSignedLink.',
  }),
  revokeLogLink: route({
    action: 'run.link',
    ...runLink,
    method: 'DELETE',
    path: log,
    summary: 'Revoke the link of the log',
    description: 'The address is dead at once. Revoking a link that never existed is no error.',
  }),
  mintOutputLink: route({
    action: 'run.link',
    ...runLink,
    method: 'POST',
    path: output,
    summary: 'Get the public link of the output',
    description:
      'Everybody who has the address can read the output until the link is revoked. A repeat returns the same link. For a link that expires, use createSignedLink.',
  }),
  revokeOutputLink: route({
    action: 'run.link',
    ...runLink,
    method: 'DELETE',
    path: output,
    summary: 'Revoke the link of the output',
    description: 'The address is dead at once. Revoking a link that never existed is no error.',
  }),
  mintArtifactLink: route({
    action: 'artifact.link',
    ...artifactLink,
    method: 'POST',
    summary: 'Get the public link of an artifact',
    description:
      'Everybody who has the address can read the file until the link is revoked. A repeat returns the same link. For a link that expires, use createSignedLink.',
  }),
  revokeArtifactLink: route({
    action: 'artifact.link',
    ...artifactLink,
    method: 'DELETE',
    summary: 'Revoke the link of an artifact',
    description: 'The address is dead at once. Revoking a link that never existed is no error.',
  }),
  downloadByToken: route({
    action: 'link.download',
    method: 'GET',
    path: `${publicArtifactPrefix}/{token}`,
    summary: 'Download the object of a public link',
    description: 'The token in the path is the permission. The answer is always an attachment.',
    tag: 'Runs',
    // Any text: a value that is not a live token is not found, in any form.
    params: Strict({
      token: about('Token of the link, from its address.', Type.String({ minLength: 1 }), 'Zk3xQ9bTn5YpLw2R'),
    }),
    errors: ['not_found', 'storage_unavailable', 'downloads_busy', 'range_not_satisfiable'],
  }),
}
