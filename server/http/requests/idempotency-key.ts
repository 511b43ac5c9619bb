import type { IncomingHttpHeaders } from 'node:http'
import { CodedError } from '../../base/errors/coded-error.ts'
import { invalid } from '../../base/errors/validation-error.ts'

const maxLength = 128

/** The `Idempotency-Key` header, stripped: 1 to 128 characters, no NUL (contract part 1, global rule 4). */
export function readIdempotencyKey(headers: IncomingHttpHeaders): string {
  const header = headers['idempotency-key']
  const key = (Array.isArray(header) ? header[0] : header)?.trim()
  if (!key) throw new CodedError('idempotency_key_required')
  if (key.length > maxLength || key.includes('\0')) {
    throw invalid(
      ['header', 'idempotency-key'],
      'idempotency_key',
      `must have at most ${maxLength} characters and no NUL`,
    )
  }
  return key
}
