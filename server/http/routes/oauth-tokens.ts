import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { clientIdMaxLength, registerClient } from '../../access/oauth/client-registration.ts'
import {
  type ExchangeDeps,
  exchangeCode,
  type GrantDeps,
  refreshTokens,
  revokeToken,
} from '../../access/oauth/grants.ts'
import { OAuthError } from '../../access/oauth/oauth-error.ts'
import { inRequest } from '../../base/current-request.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { turnOf } from '../bounds/take-turn.ts'
import { actingOf } from '../caller.ts'
import { isValid, validatorOf } from '../requests/validation.ts'
import { handleError, responseOf } from '../responses/errors.ts'
import { oauthPaths } from './oauth-metadata.ts'

const bodyMaxBytes = 16 * 1024

// Parameters that are not known are ignored, as OAuth wants.
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Registration = Type.Object({})
const CodeForm = Type.Object({
  grant_type: Type.Literal('authorization_code'),
  code: text(4096),
  client_id: text(clientIdMaxLength),
  redirect_uri: text(512),
  code_verifier: text(128),
  resource: Type.Optional(text(1024)),
})
const RefreshForm = Type.Object({
  grant_type: Type.Literal('refresh_token'),
  refresh_token: text(4096),
  client_id: text(clientIdMaxLength),
  resource: Type.Optional(text(1024)),
})
const RevocationForm = Type.Object({ token: text(4096), client_id: text(clientIdMaxLength) })

const checks = {
  registration: validatorOf('body', Registration),
  code: validatorOf('body', CodeForm),
  refresh: validatorOf('body', RefreshForm),
  revocation: validatorOf('body', RevocationForm),
}

/**
 * Routes that clients call without a person: registration (RFC 7591), tokens (RFC 6749), revocation (RFC 7009). None of them needs
 * the sandbox to be switched on, as no login does.
 */
export function mountOAuthTokens(
  app: FastifyInstance,
  deps: GrantDeps,
  scheduler: RequestScheduler | undefined,
): void {
  type Handler = (body: unknown, of: { deps: ExchangeDeps; reply: FastifyReply }) => Promise<unknown>
  const mount = (url: string, handler: Handler) =>
    app.route({
      method: 'POST',
      url,
      bodyLimit: bodyMaxBytes,
      errorHandler: answerError,
      handler: async ({ id, body }, reply) => {
        const takeTurn = (companyId: string) => turnOf(scheduler, companyId, reply)(0)
        const of = { deps: { ...deps, takeTurn }, reply: reply.header('pragma', 'no-cache') }
        return inRequest(id, () => handler(body, of), actingOf('oauth', null))
      },
    })

  mount(oauthPaths.register, async (body, { reply }) => {
    require(checks.registration, body, 'invalid_client_metadata')
    reply.code(201)
    return registerClient(deps.oauthKeys, body as object, deps.clock.now())
  })
  mount(oauthPaths.token, async (body, of) => {
    const { grant_type: type } = (body ?? {}) as { grant_type?: unknown }
    if (type === 'authorization_code') {
      require(checks.code, body)
      return exchangeCode(of.deps, body as Static<typeof CodeForm>)
    }
    if (type === 'refresh_token') {
      require(checks.refresh, body)
      return refreshTokens(of.deps, body as Static<typeof RefreshForm>)
    }
    throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token.')
  })
  mount(oauthPaths.revoke, async (body, of) => {
    require(checks.revocation, body)
    await revokeToken(of.deps, body as Static<typeof RevocationForm>)
    return {}
  })
}

function require(
  check: (body: unknown) => void,
  body: unknown,
  code: 'invalid_request' | 'invalid_client_metadata' = 'invalid_request',
): void {
  if (!isValid(check, body)) throw new OAuthError(code, 'A parameter is missing, or one is too long.')
}

const statuses: Partial<Record<OAuthError['code'], number>> = {
  invalid_client: 401,
  temporarily_unavailable: 503,
}

/** In the form of RFC 6749, section 5.2. */
function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof OAuthError) {
    reply.code(statuses[error.code] ?? 400).send({ error: error.code, error_description: error.message })
    return
  }
  const status = responseOf(error)?.status
  if (status === undefined || status >= 500) {
    handleError(error, request, reply)
    return
  }
  reply
    .code(status === 422 ? 400 : status)
    .send({ error: 'invalid_request', error_description: 'The request cannot be read.' })
}
