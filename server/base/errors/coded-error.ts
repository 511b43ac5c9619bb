import { catalogue, type ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'

/**
 * An expected failure, by its code in the contract's catalogue. `detail` carries the further fields of the response
 * (`limit`, `errors`, `retry_after_seconds`), or a `message` that is more specific than the catalogue's. It must
 * never contain a caller's value or a secret.
 */
export class CodedError extends Error {
  readonly code: ErrorCode
  readonly detail: Record<string, unknown>
  /** The status, for the few codes that the contract gives two. */
  readonly status: number

  constructor(code: ErrorCode, detail: Record<string, unknown> = {}, status?: number) {
    super(catalogue[code].message)
    this.name = 'CodedError'
    this.code = code
    this.detail = detail
    this.status = status ?? catalogue[code].status
  }
}

/** The same error for what does not exist and for what the caller may not see. */
export const notFound = (): CodedError => new CodedError('not_found')
