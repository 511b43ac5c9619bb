import { createDecipheriv, type KeyObject, webcrypto } from 'node:crypto'
import type { EncryptedValue } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'

const wrapping = { name: 'RSA-OAEP', hash: 'SHA-256' } as const
const keyBytes = 32
const tagBytes = 16

/** An envelope that a client sent does not open with the key of the service. The error never says which part of it failed. */
export class EnvelopeUndecryptable extends Error {
  override readonly name = 'EnvelopeUndecryptable'
}

/**
 * The bytes in a client's envelope (contract part 1, "Secrets and approvals"), which one of the keys opens. RSA runs on another
 * thread. Every failure is the same `EnvelopeUndecryptable`, so that nobody learns from the answers how far an envelope opened.
 */
export async function openEnvelope(keys: readonly KeyObject[], envelope: EncryptedValue): Promise<Buffer> {
  for (const key of keys) {
    const value = await openWith(key, envelope).catch(() => undefined)
    if (value) return value
  }
  throw new EnvelopeUndecryptable()
}

async function openWith(key: KeyObject, envelope: EncryptedValue): Promise<Buffer> {
  const bytes = (text: string) => Buffer.from(text, 'base64')
  const privateKey = key.toCryptoKey(wrapping, false, ['decrypt'])
  const wrapped = bytes(envelope.encrypted_key)
  const dataKey = Buffer.from(await webcrypto.subtle.decrypt(wrapping, privateKey, wrapped))
  try {
    return openValue(dataKey, bytes(envelope.iv), bytes(envelope.ciphertext))
  } finally {
    dataKey.fill(0)
  }
}

/** AES-256-GCM with the tag at the end. Throws what the cipher throws, and for a key of another length. */
export function openValue(dataKey: Buffer, iv: Buffer, sealed: Buffer, context?: Buffer): Buffer {
  if (dataKey.length !== keyBytes || sealed.length < tagBytes) throw new EnvelopeUndecryptable()
  const cipher = createDecipheriv('aes-256-gcm', dataKey, iv, { authTagLength: tagBytes })
  if (context) cipher.setAAD(context)
  cipher.setAuthTag(sealed.subarray(-tagBytes))
  const opened = cipher.update(sealed.subarray(0, -tagBytes))
  try {
    cipher.final()
    return opened
  } catch (error) {
    opened.fill(0)
    throw error
  }
}
