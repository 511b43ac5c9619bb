import { hashApiKey } from '../../access/keys/api-key-secret.ts'
import { newToken } from '../../base/ids.ts'
import type { Pepper } from '../../base/keys/peppers.ts'

const prefix = 'sbd_'
const form = /^sbd_[A-Za-z0-9_-]{43}$/

/** A new key: 256 random bits after a prefix that secret scanners detect. */
export const newDoorKey = (): string => `${prefix}${newToken()}`

export const looksLikeDoorKey = (text: string): boolean => form.test(text)

/** The stored form, as that of API keys. */
export const hashDoorKey = ({ key }: Pepper, text: string): Buffer => hashApiKey(key, text)
