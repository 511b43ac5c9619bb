import type { Example, Seed } from '../seed/seed.ts'
import type { Request } from '../send.ts'

/** A well-formed request, and its result for allowed callers; `contract/access` says who is allowed. */
export interface Expectation {
  /** Status for allowed callers: 200, or the status of a later rule. */
  allowed?: number
  /** Status for a token of another form; absent: 404. */
  otherToken?: number
  /** Examples that replace the default ones of path parameters. */
  use?: Record<string, Example>
  body?: (seed: Seed) => unknown
  /** A raw body. */
  bytes?: Buffer
  /** The file of a multipart body. */
  file?: Buffer
  query?: Record<string, string>
  queryOf?: (seed: Seed) => Record<string, string>
  headers?: Record<string, string>
}

/** A well-formed request, without the ids of its path. */
export function exampleCall(expectation: Expectation, seed: Seed): Request {
  const { body, bytes, file, queryOf, headers } = expectation
  const query = queryOf?.(seed) ?? expectation.query
  return {
    ...(body && { body: body(seed) }),
    ...(bytes && { bytes }),
    ...(file && { file }),
    ...(query && { query }),
    ...(headers && { headers }),
  }
}

/** An idempotency key for routes that need one. */
export const exampleKey = { 'idempotency-key': 'of the example' }
