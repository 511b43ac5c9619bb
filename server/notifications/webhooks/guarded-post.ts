import type { IncomingMessage } from 'node:http'
import {
  GuardedFailure,
  type GuardedOptions,
  guardedRequest,
} from '../../base/guarded-requests/guarded-request.ts'

/* One POST to an address that a customer chose. Of the answer only the status is used. */

export interface PostResult {
  status: number | null
  /** Slug; null after a status of 2xx. */
  error: string | null
}

/** Of an answer's body, and of the time after its head, so that ordinary receivers see it read. */
const bodyMaxBytes = 16 * 1024
const bodyMaxMs = 1000

/** Ends when its connection is closed, so a caller that bounds its posts bounds connections too. */
export async function guardedPost(
  url: URL,
  { headers, body }: { headers: Record<string, string>; body: string },
  options: GuardedOptions & { signal?: AbortSignal },
): Promise<PostResult> {
  let status: number | undefined
  const read = async (response: IncomingMessage) => {
    status = response.statusCode ?? 0
    await readBody(response)
  }
  try {
    await guardedRequest(url, { method: 'POST', headers, body }, read, options)
  } catch (error) {
    if (!(error instanceof GuardedFailure)) throw error
    // Events after the head change nothing.
    if (status === undefined) return { status: null, error: error.slug }
  }
  return resultOf(status ?? 0)
}

/** Reads a body up to the bounds, then closes its connection. */
async function readBody(response: IncomingMessage): Promise<void> {
  const closed = Promise.withResolvers<void>()
  const late = setTimeout(() => response.destroy(), bodyMaxMs)
  let length = 0
  response.on('data', (part: Buffer) => {
    length += part.length
    if (length > bodyMaxBytes) response.destroy()
  })
  response.on('error', () => undefined)
  response.once('close', () => closed.resolve())
  await closed.promise
  clearTimeout(late)
}

function resultOf(status: number): PostResult {
  if (status >= 200 && status < 300) return { status, error: null }
  return { status, error: status >= 300 && status < 400 ? 'redirect' : 'status' }
}
