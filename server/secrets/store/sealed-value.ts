import { createCipheriv, randomBytes } from 'node:crypto'
import { canonicalJson } from '../../base/json/canonical-json.ts'
import { WrappedKeyRefused, type WrappingKeys } from '../keys/wrapping-keys.ts'
import { openValue } from './open-envelope.ts'

/*
 * Values at rest: each under a data key of its own (AES-256-GCM), which is wrapped under a key-encryption key. Both are
 * authenticated over the place of the value, so that a row that was put in the place of another one, or of a later
 * generation of itself, does not open.
 */

/** Where a value belongs. */
export interface SecretReference {
  companyId: string
  consumerScope: string
  consumerId: string
  taskId: string
  slotName: string
  generation: number
}

export interface SealedValue {
  keyId: string
  wrappedKey: Buffer
  iv: Buffer
  /** The tag is at its end. */
  ciphertext: Buffer
}

/** It does not open with any key: the row was damaged, or is in the place of another. */
export class ValueDamaged extends Error {
  override readonly name = 'ValueDamaged'
}

const ivBytes = 12
const tagBytes = 16

const contextOf = (place: SecretReference, part: 'key' | 'value'): Buffer =>
  Buffer.from(
    canonicalJson([
      'sandbox-jobs/secret/1',
      part,
      place.companyId,
      place.consumerScope,
      place.consumerId,
      place.taskId,
      place.slotName,
      place.generation,
    ]),
  )

/** Throws `KeysUnavailable`. */
export async function sealValue(
  keys: WrappingKeys,
  place: SecretReference,
  value: Buffer,
): Promise<SealedValue> {
  const dataKey = randomBytes(32)
  try {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', dataKey, iv, { authTagLength: tagBytes })
    cipher.setAAD(contextOf(place, 'value'))
    const ciphertext = Buffer.concat([cipher.update(value), cipher.final(), cipher.getAuthTag()])
    const { keyId, bytes: wrappedKey } = await keys.wrap(dataKey, contextOf(place, 'key'))
    return { keyId, wrappedKey, iv, ciphertext }
  } finally {
    dataKey.fill(0)
  }
}

/** Throws `KeysUnavailable`, `ValueDamaged`. */
export async function openSealed(
  keys: WrappingKeys,
  place: SecretReference,
  sealed: SealedValue,
): Promise<Buffer> {
  const dataKey = await unwrapped(keys, place, sealed)
  try {
    return openValue(dataKey, sealed.iv, sealed.ciphertext, contextOf(place, 'value'))
  } catch {
    throw new ValueDamaged()
  } finally {
    dataKey.fill(0)
  }
}

/** The same value with its data key under the present key-encryption key. */
export async function rewrapped(
  keys: WrappingKeys,
  place: SecretReference,
  sealed: Pick<SealedValue, 'keyId' | 'wrappedKey'>,
): Promise<Pick<SealedValue, 'keyId' | 'wrappedKey'>> {
  const dataKey = await unwrapped(keys, place, sealed)
  try {
    const { keyId, bytes: wrappedKey } = await keys.wrap(dataKey, contextOf(place, 'key'))
    return { keyId, wrappedKey }
  } finally {
    dataKey.fill(0)
  }
}

async function unwrapped(
  keys: WrappingKeys,
  place: SecretReference,
  { keyId, wrappedKey }: Pick<SealedValue, 'keyId' | 'wrappedKey'>,
): Promise<Buffer> {
  try {
    return await keys.unwrap({ keyId, bytes: wrappedKey }, contextOf(place, 'key'))
  } catch (error) {
    throw error instanceof WrappedKeyRefused ? new ValueDamaged() : error
  }
}
