import {
  hasCanonicalForm,
  JsonRefused,
  jsonRefusals,
} from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { PlainError } from '../../base/errors/plain-error.ts'
import { problemOf, ValidationError, type ValidationProblem } from '../../base/errors/validation-error.ts'
import { isDatabaseUnavailable } from '../../db/database.ts'
import { isStorageUnavailable } from '../../storage/unavailable.ts'

export interface Answer {
  status: number
  body: { detail: unknown }
  headers?: Record<string, string>
}

/** The only place that turns errors into responses (contract part 2, "Errors"). */
export function responseOf(error: unknown): Answer | undefined {
  if (error instanceof CodedError) return coded(error)
  if (error instanceof ValidationError) return { status: 422, body: { detail: error.problems } }
  if (error instanceof PlainError) {
    return { status: error.status, body: { detail: error.message }, headers: error.headers }
  }
  if (error instanceof JsonRefused) return { status: 422, body: { detail: [problemOfJson(error)] } }
  return fromFastify(error)
}

const problemOfJson = (error: JsonRefused): ValidationProblem =>
  problemOf(['body', ...error.path], {
    type: error.slug,
    words: `${jsonRefusals[error.slug]} (byte ${error.at})`,
  })

/** The error of a body whose `input` is to be stored: one without a canonical form has a code of its own. */
export function refusedInput(error: unknown): unknown {
  if (!(error instanceof JsonRefused) || hasCanonicalForm(error) || error.path[0] !== 'input') return error
  return new CodedError('input_not_stageable', { errors: [problemOfJson(error)] })
}

function coded(error: CodedError): Answer {
  const retryAfter = error.detail.retry_after_seconds
  return {
    status: error.status,
    body: { detail: { code: error.code, message: error.message, ...error.detail } },
    ...(typeof retryAfter === 'number' && { headers: { 'retry-after': String(retryAfter) } }),
  }
}

const bodyTooLarge = 'FST_ERR_CTP_BODY_TOO_LARGE'

/** Errors that Fastify raises before a handler runs. */
function fromFastify(error: unknown): Answer | undefined {
  const code = error instanceof Error && 'code' in error ? String((error as FastifyError).code) : ''
  if (code === bodyTooLarge) return coded(new CodedError('request_too_large'))
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH') return coded(new CodedError('invalid_content_length'))
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    const words = 'is not what this route takes'
    const problem = problemOf(['header', 'content-type'], { type: 'content_type', words })
    return { status: 422, body: { detail: [problem] } }
  }
  if (code.startsWith('FST_ERR_CTP')) return malformed('body')
  if (code === 'FST_ERR_BAD_URL') return malformed('path')
  // Longer than any id or token, so it cannot name anything.
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return coded(notFound())
  return undefined
}

const malformed = (part: 'body' | 'path'): Answer => ({
  status: 422,
  body: { detail: [problemOf([part], { type: 'malformed', words: 'cannot be read' })] },
})

/** Only what identifies the fault: other fields of a database error quote values of rows. */
function loggable(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { message: typeof error }
  return { message: error.message, stack: error.stack, ...('code' in error && { code: error.code }) }
}

function codeOf(error: unknown): 'database_unavailable' | 'storage_unavailable' | 'internal_error' {
  if (isDatabaseUnavailable(error)) return 'database_unavailable'
  return isStorageUnavailable(error) ? 'storage_unavailable' : 'internal_error'
}

/**
 * The sender closed the connection before the request was complete: this is not a fault of the service, and there is
 * nobody to respond to.
 */
const senderLeft = ({ raw }: FastifyRequest): boolean => raw.destroyed && !raw.complete

/** The response to any error. A fault of the service is logged. */
export function answerOf(error: unknown, request: FastifyRequest): Answer {
  const answer = responseOf(error) ?? (senderLeft(request) ? malformed('body') : undefined)
  if (answer) return answer
  const { id, routeOptions } = request
  request.log.error({ request: id, error: loggable(error), route: routeOptions.url }, 'request failed')
  return coded(new CodedError(codeOf(error)))
}

/** Headers about its bytes, set by a stream that failed before its first byte. */
const headersOfBytes = [
  'accept-ranges',
  'cache-control',
  'content-disposition',
  'content-length',
  'content-range',
  'content-type',
  'etag',
  'last-modified',
]

/** Removes the headers of bytes that will not be sent, so that the error in their place has its own. */
export function forgetBytes(reply: FastifyReply): void {
  for (const name of headersOfBytes) {
    if (!reply.raw.hasHeader(name)) continue
    reply.raw.removeHeader(name)
    reply.removeHeader(name)
  }
}

export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const answer = answerOf(error, request)
  forgetBytes(reply)
  // The rest of the body is read and dropped. A proxy that still sends it when the connection closes answers 502 itself.
  if (error instanceof Error && 'code' in error && error.code === bodyTooLarge)
    reply.removeHeader('connection')
  reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .send(answer.body)
}
