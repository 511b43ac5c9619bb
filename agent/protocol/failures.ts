import { ExecutorRefused, ExecutorUnavailable, SandboxUnknown } from '../port/errors.ts'
import { isRefusalCause } from '../port/refusal-causes.ts'

/** An error response. */
export interface FailureAnswer {
  status: 404 | 409 | 500
  body: { slug?: string; message: string }
}

/** The response for an error. The caller gets no details of an internal error. */
export function failureAnswer(error: unknown): FailureAnswer {
  if (error instanceof SandboxUnknown) return { status: 404, body: { message: error.message } }
  if (error instanceof ExecutorRefused) {
    return { status: 409, body: { slug: error.slug, message: error.message } }
  }
  return { status: 500, body: { message: 'the host agent failed: see its log' } }
}

/** The port's error for an error response. */
export function failureOf(
  status: number,
  { slug = '', message }: Partial<FailureAnswer['body']>,
  path: string,
): Error {
  if (status === 404) return new SandboxUnknown(path)
  if (status === 409) {
    const cause = isRefusalCause(slug) ? slug : 'refused'
    return new ExecutorRefused(cause, message ?? 'the host agent refuses')
  }
  return new ExecutorUnavailable(message ?? `the host agent answered ${status}`)
}
