import { encryptSecret } from '@sandbox-jobs/contract/client/encrypt-secret.ts'
import { secretPlaintextMaxBytes, secretPlaintextMinBytes } from '@sandbox-jobs/contract/limits.ts'
import type { PublicKey } from '@sandbox-jobs/contract/resources/access/public-key.ts'
import type { EncryptedValue } from '@sandbox-jobs/contract/resources/secrets/secret-binding.ts'

export type ValueProblem = 'tooShort' | 'tooLong' | 'notText' | 'hasNul'

/** The fault of a value; undefined without one. */
export function problemOf(value: string): ValueProblem | undefined {
  if (!value.isWellFormed()) return 'notText'
  if (value.includes('\0')) return 'hasNul'
  const { length } = new TextEncoder().encode(value)
  if (length < secretPlaintextMinBytes) return 'tooShort'
  return length > secretPlaintextMaxBytes ? 'tooLong' : undefined
}

/** Without the line feed that most ways of copying a text add at its end. */
export const withoutLastLineFeed = (text: string): string => text.replace(/\r?\n$/, '')

/** An encrypted value with the key of its request: sent again, it is the same request. */
export interface SealedValue {
  encrypted: EncryptedValue
  idempotencyKey: string
}

export const sealValue = async (publicKey: PublicKey, value: string): Promise<SealedValue> => ({
  encrypted: await encryptSecret(publicKey, value),
  idempotencyKey: crypto.randomUUID(),
})
