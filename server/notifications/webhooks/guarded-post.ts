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

/** Of an answer's body, so that ordinary receivers see it read. */
const bodyMaxBytes = 16 * 1024

export async function guardedPost(
  url: URL,
  { headers, body }: { headers: Record<string, string>; body: string },
  options: GuardedOptions & { signal?: AbortSignal },
): Promise<PostResult> {
  try {
    return resultOf(await guardedRequest(url, { method: 'POST', headers, body }, statusOf, options))
  } catch (error) {
    if (error instanceof GuardedFailure) return { status: null, error: error.slug }
    throw error
  }
}

/** The status of the answer. Its body is read up to a bound, and not waited for. */
const statusOf: Parameters<typeof guardedRequest<number>>[2] = (response, request) => {
  let length = 0
  response.on('data', (part: Buffer) => {
    length += part.length
    if (length > bodyMaxBytes) request.destroy()
  })
  response.on('error', () => request.destroy())
  return response.statusCode ?? 0
}

function resultOf(status: number): PostResult {
  if (status >= 200 && status < 300) return { status, error: null }
  return { status, error: status >= 300 && status < 400 ? 'redirect' : 'status' }
}
