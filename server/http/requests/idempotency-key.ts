import type { IncomingHttpHeaders } from 'node:http'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'

const maxLength = 128

/** The `Idempotency-Key` header, stripped: 1 to 128 characters, no NUL (contract part 1, global rule 4). */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string {
  const key = stripped(headers)
  if (!key) throw new CodedError('idempotency_key_required')
  return checked(key)
}

/** The same for a route that does without; undefined if it was not sent. */
export function findIdempotencyKey(headers: IncomingHttpHeaders): string | undefined {
  const key = stripped(headers)
  if (key === '') throw invalid(['header', 'idempotency-key'], 'idempotency_key', 'must not be empty')
  return key && checked(key)
}

function stripped(headers: IncomingHttpHeaders): string | undefined {
  const header = headers['idempotency-key']
  return (Array.isArray(header) ? header[0] : header)?.trim()
}

function checked(key: string): string {
  if (key.length > maxLength || key.includes('\0')) {
    throw invalid(
      ['header', 'idempotency-key'],
      'idempotency_key',
      `must have at most ${maxLength} characters and no NUL`,
    )
  }
  return key
}
