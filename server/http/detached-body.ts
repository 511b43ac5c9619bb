import { PassThrough, type Readable } from 'node:stream'

/** A sender is stopped and started again once for so much, and not for each piece that its socket brings. */
const heldBytes = 1024 ** 2

/**
 * A raw request body that may be given up at any time without hurting its connection: the answer still goes out,
 * and what the sender goes on sending is read and dropped. A sender who hangs up ends the body with the error
 * `ECONNRESET`. Whoever takes it destroys it when done.
 */
export function detachedBody(request: Readable): Readable {
  const body = new PassThrough({ highWaterMark: heldBytes })
  // An error before somebody reads the body must not be one that nobody handles.
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
