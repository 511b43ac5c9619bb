import { createHash } from 'node:crypto'
import { TokenRequest } from '@sandbox-jobs/contract/resources/access/token.ts'
import { OneOf, Strict } from '@sandbox-jobs/contract/schema.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { principalOf } from '../../access/authentication/authentication.ts'
import type { Directory } from '../../access/directory/directory.ts'
import { companyOfForm, type FormLoginDeps, signForm, userOfForm } from '../../access/login/form-login.ts'
import { type LoginServices, logIn } from '../../access/login/login.ts'
import {
  type AskedRequest,
  readAuthorizationRequest,
  withClient,
} from '../../access/oauth/authorization-request.ts'
import type { ClientDocuments } from '../../access/oauth/client-documents.ts'
import { type GrantDeps, signCode } from '../../access/oauth/grants.ts'
import { OAuthError } from '../../access/oauth/oauth-error.ts'
import { policySourceOf } from '../../access/oauth/redirect-uri.ts'
import type { AddressRange } from '../../base/addresses/address-range.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { RequestScheduler } from '../../fairness/request-scheduler.ts'
import { turnOf } from '../bounds/take-turn.ts'
import type { Authenticate } from '../mount.ts'
import { clientAddress } from '../requests/client-address.ts'
import { isValid, validatorOf } from '../requests/validation.ts'
import { handleError, responseOf } from '../responses/errors.ts'
import { oauthPaths } from '../routes/oauth-metadata.ts'
import { authorizeLoginPage, authorizeProblemPage, consentPage } from './authorize-page.ts'
import { formPageHeaders } from './form-page.ts'

export interface AuthorizeServices extends GrantDeps, FormLoginDeps, LoginServices {
  directory: Directory
  authenticate: Authenticate
  trustedProxies: readonly AddressRange[]
  documents: ClientDocuments
  scheduler: RequestScheduler | undefined
}

const bodyMaxBytes = 8 * 1024
const DecisionForm = Strict({
  login: Type.String({ minLength: 1, maxLength: 4096 }),
  decision: OneOf(['allow', 'deny']),
})
type DecisionForm = Static<typeof DecisionForm>
const checkLogin = validatorOf('body', TokenRequest)
const checkDecision = validatorOf('body', DecisionForm)

/**
 * The authorization endpoint: a person logs in, sees which program asks for what, and allows or denies it. The request stays
 * in the address of the page. As on the page of a proposal no cookie is set, so no other page can press the button.
 */
export function mountAuthorizePages(app: FastifyInstance, services: AuthorizeServices): void {
  app.route({
    method: 'GET',
    url: oauthPaths.authorize,
    errorHandler: showProblem,
    handler: async (request, reply) =>
      show(reply, 200, authorizeLoginPage(readAuthorizationRequest(services, request.query))),
  })
  app.route({
    method: 'POST',
    url: oauthPaths.authorize,
    bodyLimit: bodyMaxBytes,
    errorHandler: showProblem,
    handler: async (request, reply) => {
      const asked = readAuthorizationRequest(services, request.query)
      const { body } = request
      try {
        if (isValid(checkDecision, body)) return await decide(reply, asked, body as DecisionForm)
        checkLogin(body)
        return await askFor(request, reply, asked)
      } catch (error) {
        if (responseOf(error)?.status !== 418) throw error
        return show(
          reply,
          401,
          authorizeLoginPage(asked, 'The login is not known, or it took too long. Log in again.'),
        )
      }
    },
  })

  async function askFor(request: FastifyRequest, reply: FastifyReply, asked: AskedRequest) {
    const { username, password } = request.body as TokenRequest
    const client = clientAddress({ peer: request.ip, headers: request.headers }, services.trustedProxies)
    const { access_token } = await logIn(services, { username, password, client })
    const principal = await services.authenticate({
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}` },
    })
    await turnOf(services.scheduler, principal.companyId, reply)(0)
    const { name: roomName } = await services.directory.requireRoom(principal, 'message.post', asked.roomId)
    const known = await withClient(services.documents, asked, principal)
    const login = signForm(services, principal, subjectOf(asked))
    return show(
      reply,
      200,
      consentPage({ request: known, roomName, username, login }),
      policySourceOf(asked.redirectUri),
    )
  }

  async function decide(reply: FastifyReply, asked: AskedRequest, { login, decision }: DecisionForm) {
    const subject = subjectOf(asked)
    await turnOf(services.scheduler, companyOfForm(services, login, subject), reply)(0)
    const user = await userOfForm(services, login, subject)
    const principal = principalOf(user, { id: user.id, authMethod: 'jwt' })
    await services.directory.requireRoom(principal, 'message.post', asked.roomId)
    const known = await withClient(services.documents, asked, principal)
    const answer: Record<string, string> =
      decision === 'allow' ? { code: signCode(services, user, known) } : { error: 'access_denied' }
    return reply
      .code(303)
      .headers(pageHeaders(policySourceOf(asked.redirectUri)))
      .header('location', locationOf(asked, { ...answer, iss: services.baseUrl }))
      .send()
  }
}

/** The whole request: a login for one is good for no other. */
const subjectOf = (asked: AskedRequest): string => {
  const { clientId, redirectUri, challenge, roomId, state } = asked
  const text = JSON.stringify([clientId, redirectUri, challenge, roomId, state])
  return `oauth:${createHash('sha256').update(text).digest('base64url')}`
}

function locationOf({ redirectUri, state }: AskedRequest, answer: Record<string, string>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(answer)) url.searchParams.append(name, value)
  if (state !== undefined) url.searchParams.append('state', state)
  return url.href
}

/** A client that opened the page in a window waits for it: the window stays connected to its opener. */
const pageHeaders = (formTarget?: string) => ({
  ...formPageHeaders(formTarget),
  'cross-origin-opener-policy': 'unsafe-none',
})

const show = (reply: FastifyReply, status: number, page: string, formTarget?: string) =>
  reply.code(status).headers(pageHeaders(formTarget)).type('text/html; charset=utf-8').send(page)

/** Refusals as pages: nothing is redirected to a client that asked wrongly. */
function showProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof OAuthError && error.code === 'temporarily_unavailable') {
    void show(reply, 503, authorizeProblemPage(error.message))
    return
  }
  if (error instanceof OAuthError) {
    void show(reply, 400, authorizeProblemPage(`The program asked wrongly (${error.code}). ${error.message}`))
    return
  }
  const answer = responseOf(error)
  if (!answer) {
    handleError(error, request, reply)
    return
  }
  reply.headers(answer.headers ?? {})
  if (error instanceof CodedError && error.code === 'not_found') {
    void show(reply, 404, authorizeProblemPage('There is no such room, or you are not in it.'))
    return
  }
  const { message = 'The form is not complete.' } = answer.body.detail as { message?: string }
  void show(reply, answer.status, authorizeProblemPage(message))
}
