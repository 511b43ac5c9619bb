import { createSecretKey, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { ApiKeyHashes, hashApiKey, newApiKey } from './api-key-secret.ts'

test('a key hashes to the stored value, on repeated use and among many other keys', () => {
  const pepper = randomBytes(32)
  const live = { number: 0, key: createSecretKey(pepper) }
  const hashes = new ApiKeyHashes()
  const keys = Array.from({ length: 3000 }, newApiKey)
  for (const key of [...keys, ...keys, ...keys.slice(-10)]) {
    expect(hashes.of(key, live).equals(hashApiKey(pepper, key))).toBe(true)
  }
})
