import { isJsonObject } from '../json-object.ts'
/** An error response of the service. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  /** Code of the catalogue; null for plain-text answers and validation errors. */
  readonly code: string | null
  /** `detail` as received: an object with `code`, a text, or the list of a validation error. */
  readonly detail: unknown
  /** Advice to the caller; empty if the code says nothing. */
  readonly hint: string
  /** Names the request in the log of the service; null if the answer came from elsewhere. */
  readonly requestId: string | null
  /** Value of `Retry-After` in seconds, or null. */
  readonly retryAfterSeconds: number | null

  constructor(answer: {
    status: number
    detail: unknown
    retryAfter: string | null
    requestId?: string | null
    hints?: Readonly<Record<string, string>>
  }) {
    super(messageOf(answer.status, answer.detail))
    this.status = answer.status
    this.detail = answer.detail
    const code = isJsonObject(answer.detail) ? answer.detail.code : undefined
    this.code = typeof code === 'string' ? code : null
    const { hints = {}, requestId = null } = answer
    this.hint = this.code !== null && Object.hasOwn(hints, this.code) ? (hints[this.code] ?? '') : ''
    this.requestId = requestId
    const seconds = Number(answer.retryAfter ?? Number.NaN)
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : null
  }
}

/** Creates the error of a failed response with any body. `hints` says what to do, by code. */
export async function readApiError(
  response: Response,
  hints?: Readonly<Record<string, string>>,
): Promise<ApiError> {
  const text = await response.text()
  return new ApiError({
    status: response.status,
    detail: detailOf(text),
    retryAfter: response.headers.get('retry-after'),
    requestId: response.headers.get('x-request-id'),
    ...(hints && { hints }),
  })
}

function detailOf(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    return isJsonObject(body) && 'detail' in body ? body.detail : body
  } catch {
    // A proxy may return an HTML page; its first characters help to identify it.
    return text.slice(0, 500)
  }
}

function messageOf(status: number, detail: unknown): string {
  if (typeof detail === 'string' && detail !== '') return detail
  if (isJsonObject(detail) && typeof detail.message === 'string') return detail.message
  if (Array.isArray(detail)) return detail.map(problemText).join('; ')
  return `The service returned status ${status}.`
}

const problemText = (problem: unknown): string =>
  isJsonObject(problem) && typeof problem.msg === 'string' ? problem.msg : String(problem)
