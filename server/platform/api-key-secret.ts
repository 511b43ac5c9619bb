import { createHmac, type KeyObject } from 'node:crypto'
import { newToken } from '../base/ids.ts'

const prefix = 'sbx_'
const form = /^sbx_[A-Za-z0-9_-]{43}$/

/** A new key: 256 random bits after a prefix by which scanners find leaked ones. Shown to its owner once. */
export const newApiKey = (): string => `${prefix}${newToken()}`

/**
 * What the database keeps: HMAC-SHA-256 under a pepper from outside it (contract part 3, D1). Whoever hashes for every
 * request gives the pepper as a key object: to make one costs several times what the hash does.
 */
export const hashApiKey = (pepper: Buffer | KeyObject, key: string): Buffer =>
  createHmac('sha256', pepper).update(key).digest()

export const looksLikeApiKey = (text: string): boolean => form.test(text)
