import { createHmac, hash, type KeyObject } from 'node:crypto'
import { newToken } from '../../base/ids.ts'
import type { Pepper, Peppers } from '../../base/keys/peppers.ts'
import { RecentMap } from '../../base/recent-map.ts'

const prefix = 'sbx_'
const form = /^sbx_[A-Za-z0-9_-]{43}$/

/** A new key: 256 random bits after a prefix that secret scanners detect. Shown to its owner once. */
export const newApiKey = (): string => `${prefix}${newToken()}`

/** The stored form: HMAC-SHA-256 with a pepper that is not in the database (contract part 3, D1). */
export const hashApiKey = (pepper: Buffer | KeyObject, key: string): Buffer =>
  createHmac('sha256', pepper).update(key).digest()

export const looksLikeApiKey = (text: string): boolean => form.test(text)

const hashesKept = 1024

/**
 * Caches hashes for clients that send the same keys repeatedly: a lookup costs a fraction of the HMAC. Entries are
 * keyed by another hash of the key, so that no key stays in memory. A key has 256 random bits, so that hash reveals
 * nothing.
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

/**
 * The value stored under one of the live peppers, the present one first: another is only asked after a rotation. Returns
 * the pepper that it was found under; it is to be stored under the present one from now on.
 */
export async function findByPepper<Found>(
  peppers: Peppers,
  find: (pepper: Pepper) => Promise<Found | undefined>,
): Promise<[Found | undefined, Pepper]> {
  const tried = new Set<number>()
  do {
    for (const pepper of peppers.live()) {
      if (tried.has(pepper.number)) continue
      tried.add(pepper.number)
      const found = await find(pepper)
      if (found && isLive(peppers, pepper)) return [found, pepper]
    }
  } while (peppers.refresh())
  const present = peppers.present()
  // Between two lookups, another process may have stored the key under the present pepper.
  return [tried.size > 1 ? await find(present) : undefined, present]
}

/** A former one may have been retired since it was read. */
function isLive(peppers: Peppers, pepper: Pepper): boolean {
  if (pepper.number !== peppers.present().number) peppers.refresh()
  return peppers.live().some(({ number }) => number === pepper.number)
}
