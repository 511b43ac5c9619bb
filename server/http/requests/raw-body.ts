import { PassThrough, Readable } from 'node:stream'
import { uploadContentType } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import type { FastifyRequest } from 'fastify'
import { invalid } from '../../base/errors/validation-error.ts'

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

/** The sender is paused and resumed once per this many bytes, not for every chunk of its socket. */
const bufferBytes = 1024 ** 2

/**
 * A raw request body that can be abandoned at any time without breaking its connection: the response is still sent,
 * and the rest of the body is read and dropped. If the sender hangs up, the body fails with `ECONNRESET`. The caller
 * destroys the body when it is done.
 */
export function discardableBody(request: Readable): Readable {
  const body = new PassThrough({ highWaterMark: bufferBytes })
  // An error before the body has a reader must not become an unhandled error.
  body.on('error', () => {})
  body.once('close', () => {
    request.unpipe(body)
    request.resume()
  })
  const hungUp = () => {
    if (!request.readableEnded)
      body.destroy(Object.assign(new Error('sender hung up'), { code: 'ECONNRESET' }))
  }
  if (request.destroyed) hungUp()
  else request.once('close', hungUp).pipe(body)
  return body
}
