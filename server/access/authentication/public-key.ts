import { createPublicKey } from 'node:crypto'
import { type PublicKey, transitAlgorithm } from '@sandbox-jobs/contract/resources/access/public-key.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import type { Keys } from '../../base/keys/keys.ts'
import type { Log } from '../../base/logging.ts'

export interface PublicKeyServices {
  keys: Pick<Keys, 'transit'>
  log: Log
}

/**
 * The public key that clients encrypt secrets with (contract part 2, "Public routes"). Throws 503
 * `public_key_unavailable`.
 */
export async function readPublicKey({ keys, log }: PublicKeyServices): Promise<PublicKey> {
  const [present] = await keys.transit.live().catch((error: unknown) => {
    log.error({ error: String(error) }, 'no key pair for encrypted values')
    throw new CodedError('public_key_unavailable')
  })
  const pem = createPublicKey(present).export({ type: 'spki', format: 'pem' }).toString()
  return { public_key_pem: pem, algorithm: transitAlgorithm }
}
