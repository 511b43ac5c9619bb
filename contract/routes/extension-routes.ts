import { Type } from 'typebox'
import { catalogPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { OwnChatroomList } from '../resources/chatroom.ts'
import { Envelope, ImageSignatureList, SigningKeyList } from '../resources/provenance.ts'
import { VersionIsolation, VersionIsolationRequest } from '../resources/version-isolation.ts'
import { BuildParams, VersionParams } from './environment-routes.ts'
import { extensionPrefix, publicExtensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const version = `${extensionPrefix}/environments/{id}/versions/{vid}` as const
const isolation = `${version}/isolation` as const

/** Routes beyond the contract's own (contract part 3, D6). */
export const extensionRoutes = {
  listOwnChatrooms: route({
    tag: 'Capabilities',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/chatrooms`,
    summary: 'List the live chatrooms that the caller is a member of or manages',
    query: Type.Object(pageFields(catalogPageSizeDefault)),
    response: OwnChatroomList,
    errors: [],
  }),
  readVersionIsolation: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: isolation,
    summary: 'What runs of a version have between them and the host, for who manages the environment',
    params: VersionParams,
    response: VersionIsolation,
    errors: ['not_found'],
  }),
  changeVersionIsolation: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'PUT',
    path: isolation,
    summary: 'Ask for more between runs of a version and the host, from the next start on',
    params: VersionParams,
    body: VersionIsolationRequest,
    response: VersionIsolation,
    errors: ['not_found', 'isolation_unavailable'],
  }),
  readBuildLog: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${extensionPrefix}/environments/{id}/versions/{vid}/builds/{aid}/log`,
    summary: 'Log of the Dockerfile’s steps, for who manages the environment',
    params: BuildParams,
    errors: ['not_found'],
  }),
  readProvenance: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${version}/provenance`,
    summary: 'What the image was made of and how, as signed SLSA provenance, for who manages the environment',
    params: VersionParams,
    response: Envelope,
    errors: ['not_found', 'image_untrusted'],
  }),
  listImageSignatures: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${version}/signatures`,
    summary: 'Signatures over the image’s digest, for who manages the environment',
    params: VersionParams,
    response: ImageSignatureList,
    errors: ['not_found', 'image_untrusted'],
  }),
  downloadImage: route({
    tag: 'Environments',
    access: 'tenant',
    restrictedKey: 403,
    method: 'GET',
    path: `${version}/image`,
    summary:
      'The image with signature and provenance, as a tar of its OCI layout, for who manages the environment',
    params: VersionParams,
    errors: ['not_found', 'image_untrusted'],
  }),
  listSigningKeys: route({
    tag: 'Public',
    access: 'public',
    restrictedKey: 'allowed',
    method: 'GET',
    path: `${publicExtensionPrefix}/image_signing_keys`,
    summary: 'Public keys with which images are verified',
    response: SigningKeyList,
    errors: [],
  }),
}
