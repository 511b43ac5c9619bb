import { Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { ArtifactPublicLink, PublicLink } from '../resources/runs/public-link.ts'
import { Strict } from '../schema.ts'
import { publicArtifactPrefix, sandboxPrefix } from './prefixes.ts'
import { route } from './route.ts'

const run = `${sandboxPrefix}/chatrooms/{cid}/runs/{rid}` as const
const log = `${run}/log/public-link` as const
const output = `${run}/output/public-link` as const
const artifact = `${run}/artifacts/{aid}/public-link` as const

const RunParams = Strict({ cid: Identifier, rid: Identifier })
const ArtifactParams = Strict({ cid: Identifier, rid: Identifier, aid: Identifier })

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
  }),
  revokeLogLink: route({
    action: 'run.link',
    ...runLink,
    method: 'DELETE',
    path: log,
    summary: 'Revoke the link of the log',
  }),
  mintOutputLink: route({
    action: 'run.link',
    ...runLink,
    method: 'POST',
    path: output,
    summary: 'Get the public link of the output',
  }),
  revokeOutputLink: route({
    action: 'run.link',
    ...runLink,
    method: 'DELETE',
    path: output,
    summary: 'Revoke the link of the output',
  }),
  mintArtifactLink: route({
    action: 'artifact.link',
    ...artifactLink,
    method: 'POST',
    summary: 'Get the public link of an artifact',
  }),
  revokeArtifactLink: route({
    action: 'artifact.link',
    ...artifactLink,
    method: 'DELETE',
    summary: 'Revoke the link of an artifact',
  }),
  downloadByToken: route({
    action: 'link.download',
    method: 'GET',
    path: `${publicArtifactPrefix}/{token}`,
    summary: 'Download the object of a public link',
    tag: 'Runs',
    // Any text: a value that is not a live token is not found, in any form.
    params: Strict({ token: Type.String({ minLength: 1 }) }),
    errors: ['not_found', 'storage_unavailable', 'downloads_busy', 'range_not_satisfiable'],
  }),
}
