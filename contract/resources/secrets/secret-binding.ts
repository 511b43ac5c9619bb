import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { encryptedKeyMaxLength, secretCiphertextMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Omissible, OneOf, Ordinal, Strict } from '../../schema.ts'
import { secretBindingStates, secretOperationStates } from '../../states/secret-states.ts'
import { Scope } from '../companies/owner-scope.ts'
import { SecretSlotName } from '../tasks/secret-slot.ts'

export const strictBase64Pattern = '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'
export const ivPattern = '^[A-Za-z0-9+/]{16}$'

/**
 * A value as clients send it (contract part 1, "Secrets and approvals"): a random AES-256 key wrapped with the public
 * key of the service (RSA-OAEP-SHA256), and the value encrypted with that key (AES-256-GCM, tag at the end).
 */
export const EncryptedValue = Strict({
  encrypted_key: Type.String({
    minLength: 1,
    maxLength: encryptedKeyMaxLength,
    pattern: strictBase64Pattern,
  }),
  iv: Type.String({ pattern: ivPattern }),
  ciphertext: Type.String({
    minLength: 1,
    maxLength: secretCiphertextMaxLength,
    pattern: strictBase64Pattern,
  }),
})
export type EncryptedValue = Static<typeof EncryptedValue>

/**
 * Identifies a secret. The consumer is the room, department or company that the secret is supplied for, not the owner
 * of the task.
 */
const address = {
  consumer_scope: Scope,
  consumer_id: Identifier,
  task_id: Identifier,
  slot_name: SecretSlotName,
}

/**
 * The server requires `encrypted_value` and refuses `value`, each with its own slug (contract part 2, "Secret write
 * validation errors"). An empty or null `value` is ignored.
 */
export const SecretWriteRequest = Strict({
  ...address,
  encrypted_value: Omissible(EncryptedValue),
  value: Type.Optional(Type.Unknown()),
})
export type SecretWriteRequest = Static<typeof SecretWriteRequest>

export const SecretRevokeRequest = Strict(address)
export type SecretRevokeRequest = Static<typeof SecretRevokeRequest>

/** A secret without its value, which no route returns. */
export const SecretBinding = Type.Object({
  id: Identifier,
  company_id: Identifier,
  consumer_scope: Scope,
  consumer_id: Type.String(),
  task_id: Identifier,
  slot_name: Type.String(),
  /** Incremented with each new value. */
  generation: Ordinal,
  state: OneOf(secretBindingStates),
  /** A value is stored. */
  has_provider_binding: Type.Boolean(),
})
export type SecretBinding = Static<typeof SecretBinding>

/** `truncated`: further secrets are on the next page. */
export const SecretBindingList = Type.Object({
  ...listOf(SecretBinding).properties,
  truncated: Type.Boolean(),
})
export type SecretBindingList = Static<typeof SecretBindingList>

export const secretOperationTypes = ['create', 'rotate', 'revoke'] as const
export type SecretOperationType = (typeof secretOperationTypes)[number]

export const SecretOperation = Type.Object({
  operation_id: Identifier,
  operation_type: OneOf(secretOperationTypes),
  operation_state: OneOf(secretOperationStates),
  binding: SecretBinding,
})
export type SecretOperation = Static<typeof SecretOperation>

/** Slugs of the validation errors of a secret write, in `detail[].type`. */
export const secretWriteSlugs = {
  plaintextRejected: 'sandbox_plaintext_value_rejected',
  valueRequired: 'sandbox_encrypted_value_required',
  keyPairMissing: 'sandbox_transit_keypair_missing',
  undecryptable: 'sandbox_encrypted_value_undecryptable',
  tooShort: 'sandbox_value_too_short',
  tooLong: 'sandbox_value_too_long',
  notText: 'sandbox_value_not_utf8',
  hasNul: 'sandbox_value_contains_nul',
} as const
export type SecretWriteSlug = (typeof secretWriteSlugs)[keyof typeof secretWriteSlugs]
