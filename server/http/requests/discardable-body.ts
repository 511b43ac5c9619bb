import { PassThrough, type Readable } from 'node:stream'

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
