import { readApiError } from '../../contract/client/api-error.ts'
import { type RequestParts, requestInit, urlOf } from '../../contract/client/request.ts'
import type { Operation } from './operation.ts'
import { hints, type OperationName, operations } from './operations.ts'
import { type RetryOptions, withRetries } from './retries.ts'

export interface Transport {
  baseUrl: string
  credentials: Record<string, string>
  fetch: typeof fetch
  retry: RetryOptions
}

/** Sends a call, repeats it where that is safe, and throws `ApiError` for an error response. */
export function send(transport: Transport, name: OperationName, given: RequestParts = {}): Promise<Response> {
  const operation: Operation = operations[name]
  // Every repeat has the key of the first try.
  const parts = operation.idempotent ? { ...given, idempotencyKey: given.idempotencyKey ?? newKey() } : given
  const url = urlOf(transport.baseUrl, operation, parts)
  const sendOnce = async () => {
    const response = await transport.fetch(url, requestInit(operation, parts, transport.credentials))
    if (!response.ok) throw await readApiError(response, hints)
    return response
  }
  const isRepeatable = operation.method === 'GET' || operation.idempotent === true
  const retry = parts.upload instanceof ReadableStream ? { repeats: 0 } : transport.retry
  return withRetries(sendOnce, retry, { isRepeatable, signal: parts.signal })
}

/** `crypto.randomUUID` is missing from pages without TLS. */
const newKey = (): string =>
  [...globalThis.crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

/** The JSON of the answer, or the answer itself if it is not JSON. */
export async function call(
  transport: Transport,
  name: OperationName,
  parts?: RequestParts,
): Promise<unknown> {
  const response = await send(transport, name, parts)
  const { answers }: Operation = operations[name]
  return answers === undefined ? await response.json() : response
}
