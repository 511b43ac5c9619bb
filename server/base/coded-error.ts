import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

/**
 * An expected failure, by its code in the contract's catalogue. `detail` carries the further fields of the
 * answer (`limit`, `errors`, `retry_after_seconds`), or a `message` that says more than the catalogue's; it must never hold a caller's value or a secret.
 */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly detail: Record<string, unknown>

  constructor(code: ErrorCode, detail: Record<string, unknown> = {}) {
    super(catalogue[code].message)
    this.name = 'CodedError'
    this.code = code
    this.detail = detail
  }
}

/** What a caller may not see and what does not exist are told in the same words. */
export const notFound = (): CodedError => new CodedError('not_found')
