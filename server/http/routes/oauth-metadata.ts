import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import { Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance } from 'fastify'
import { roomPath, roomResource, toolScope } from '../../access/oauth/room-resource.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { isValid, validatorOf } from '../requests/validation.ts'

const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** Where clients that have no token for a room find out how to get one. */
export const resourceMetadataUrl = (baseUrl: string, roomId: string): string =>
  `${baseUrl}${resourceMetadataPath}${roomPath(roomId)}`

export const oauthPaths = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const

/** Metadata of the MCP address of a room (RFC 9728): the same for rooms that do not exist. */
export function mountResourceMetadata(
  app: FastifyInstance,
  { baseUrl, issuer }: { baseUrl: string; issuer: string },
): void {
  const checkParams = validatorOf('path', Strict({ cid: Identifier }))
  app.get(`${resourceMetadataPath}${roomPath(':cid')}`, async ({ params }) => {
    if (!isValid(checkParams, params)) throw notFound()
    return {
      resource: roomResource(baseUrl, (params as { cid: string }).cid),
      authorization_servers: [issuer],
      // Another issuer has scopes of its own.
      ...(issuer === baseUrl && { scopes_supported: [toolScope] }),
      bearer_methods_supported: ['header'],
      resource_name: 'Sandbox Jobs',
    }
  })
}

/** Metadata of this service as an authorization server (RFC 8414). */
export function mountServerMetadata(app: FastifyInstance, { baseUrl }: { baseUrl: string }): void {
  app.get('/.well-known/oauth-authorization-server', async () => ({
    issuer: baseUrl,
    authorization_endpoint: `${baseUrl}${oauthPaths.authorize}`,
    token_endpoint: `${baseUrl}${oauthPaths.token}`,
    registration_endpoint: `${baseUrl}${oauthPaths.register}`,
    revocation_endpoint: `${baseUrl}${oauthPaths.revoke}`,
    scopes_supported: [toolScope],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }))
}
