import { createHmac, hash, type KeyObject } from 'node:crypto'
import { newToken } from '../base/ids.ts'
import type { Pepper } from '../base/peppers.ts'
import { RecentMap } from '../base/recent-map.ts'

const prefix = 'sbx_'
const form = /^sbx_[A-Za-z0-9_-]{43}$/

/** A new key: 256 random bits after a prefix by which scanners find leaked ones. Shown to its owner once. */
export const newApiKey = (): string => `${prefix}${newToken()}`

/** What the database keeps: HMAC-SHA-256 under a pepper from outside it (contract part 3, D1). */
export const hashApiKey = (pepper: Buffer | KeyObject, key: string): Buffer =>
  createHmac('sha256', pepper).update(key).digest()

export const looksLikeApiKey = (text: string): boolean => form.test(text)

const hashesKept = 1024

/**
 * Hashes for who is called with the same keys again and again: to remember what a key hashes to costs a fraction of
 * hashing it. It is remembered by another hash, of 256 random bits, so that no key stays in memory.
 */
export class ApiKeyHashes {
  readonly #known = new RecentMap<Buffer>(hashesKept)

  of(key: string, pepper: Pepper): Buffer {
    const name = `${pepper.number} ${hash('sha256', key)}`
    const known = this.#known.get(name)
    if (known) return known
    const keyHash = hashApiKey(pepper.key, key)
    this.#known.set(name, keyHash)
    return keyHash
  }
}
