import { isUtf8 } from 'node:buffer'
import { secretPlaintextMaxBytes, secretPlaintextMinBytes } from '@sandbox-jobs/contract/limits.ts'
import {
  type SecretWriteRequest,
  type SecretWriteSlug,
  secretWriteSlugs,
} from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'
import { ValidationError } from '../../base/errors/validation-error.ts'
import type { Keys } from '../../base/keys/keys.ts'
import type { Log } from '../../base/logging.ts'
import { EnvelopeUndecryptable, openEnvelope } from '../store/open-envelope.ts'

/** The fixed shape of these errors: the slug twice, and nothing of what was sent. */
export const secretWriteProblem = (
  field: 'value' | 'encrypted_value',
  slug: SecretWriteSlug,
): ValidationError =>
  new ValidationError([{ type: slug, loc: ['body', field], msg: `validation_error:${slug}` }])

const refuse = (slug: SecretWriteSlug) => secretWriteProblem('encrypted_value', slug)

/**
 * The bytes of the value in a request (contract part 2, "Secret write validation errors"); whoever gets them overwrites
 * them after use.
 */
export async function readSecretValue(
  { keys, log }: { keys: Pick<Keys, 'transit'>; log: Log },
  { value: plaintext, encrypted_value: envelope }: SecretWriteRequest,
): Promise<Buffer> {
  if (plaintext !== undefined && plaintext !== null && plaintext !== '') {
    throw secretWriteProblem('value', secretWriteSlugs.plaintextRejected)
  }
  if (!envelope) throw refuse(secretWriteSlugs.valueRequired)
  const live = await keys.transit.live().catch((error: unknown) => {
    log.error({ error: String(error) }, 'no key pair for encrypted values')
    throw refuse(secretWriteSlugs.keyPairMissing)
  })
  const value = await openEnvelope(live, envelope).catch((error: unknown) => {
    if (error instanceof EnvelopeUndecryptable) throw refuse(secretWriteSlugs.undecryptable)
    throw error
  })
  const problem = problemOf(value)
  if (problem === undefined) return value
  value.fill(0)
  throw refuse(problem)
}

function problemOf(value: Buffer): SecretWriteSlug | undefined {
  if (value.length < secretPlaintextMinBytes) return secretWriteSlugs.tooShort
  if (value.length > secretPlaintextMaxBytes) return secretWriteSlugs.tooLong
  if (value.includes(0)) return secretWriteSlugs.hasNul
  return isUtf8(value) ? undefined : secretWriteSlugs.notText
}
