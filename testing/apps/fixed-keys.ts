import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import type { Peppers } from '../../server/base/keys/peppers.ts'
import type { MacKeys } from '../../server/base/keys/rotated-key.ts'
import type { TokenKeys } from '../../server/base/keys/token-keys.ts'

/** One key that never changes. */
export function fixedKeys(key: Buffer): MacKeys {
  const live = [createSecretKey(key)] as const
  return { live: () => live }
}

/** One pepper that never changes. */
export function fixedPeppers(pepper: Buffer): Peppers {
  const live = { number: 0, key: createSecretKey(pepper) }
  return { present: () => live, live: () => [live], refresh: () => false }
}

/** One pair of keys that never changes. */
export function fixedTokenKeys(
  id = 'test',
  { privateKey, publicKey } = generateKeyPairSync('ed25519'),
): TokenKeys {
  return {
    signing: () => ({ id, key: privateKey }),
    verifying: (requested) => (requested === id ? publicKey : undefined),
  }
}
