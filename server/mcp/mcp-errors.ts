import { JsonRefused } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { handleError, responseOf } from '../http/responses/errors.ts'

const parseError = -32_700
const refusedRequest = -32_000

/** The text of `WWW-Authenticate` for a client without good credentials. */
export type ChallengeOf = (request: FastifyRequest) => string

/**
 * Refusals before the protocol is spoken, as errors of JSON-RPC. Wrong credentials answer 401, which the protocol wants and
 * which starts the login of a client: the contract's 418 holds for the contract's own routes.
 */
export const mcpErrorHandler =
  (challengeOf: ChallengeOf) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const answer = responseOf(error)
    if (!answer) {
      handleError(error, request, reply)
      return
    }
    const isUnknown = answer.status === 418
    const status = error instanceof JsonRefused ? 400 : answer.status
    reply
      .code(isUnknown ? 401 : status)
      .headers({ ...answer.headers, ...(isUnknown && { 'www-authenticate': challengeOf(request) }) })
      .send({ jsonrpc: '2.0', id: null, error: errorOf(error, answer.body.detail) })
  }

function errorOf(error: unknown, detail: unknown) {
  const code = error instanceof JsonRefused ? parseError : refusedRequest
  if (typeof detail === 'string') return { code, message: detail }
  const { message = 'The request is not valid.' } = detail as { message?: string }
  return { code, message, data: detail }
}
