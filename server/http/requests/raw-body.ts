import { Readable } from 'node:stream'
import { uploadContentType } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../base/errors/validation-error.ts'
import { discardableBody } from './discardable-body.ts'

/** The bytes of a file. It may be empty, which the parser hands over as no body. Throws 422 for another content type. */
export function rawBodyOf({ headers, body }: FastifyRequest): {
  body: Readable
  contentLength: number | undefined
} {
  const contentType = headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const length = headers['content-length']
  const isEmpty = body === undefined && length === '0'
  if (contentType !== uploadContentType || !(isEmpty || body instanceof Readable)) {
    throw invalid(['header', 'content-type'], 'content_type', `must be ${uploadContentType}`)
  }
  return {
    body: body instanceof Readable ? discardableBody(body) : Readable.from([]),
    contentLength: length === undefined ? undefined : Number(length),
  }
}
