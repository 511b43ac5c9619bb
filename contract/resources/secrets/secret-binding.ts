import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, CompanyId, SecretId, SecretOperationId, TaskId } from '../../identifiers.ts'
import { exampleId } from '../../ids.ts'
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
  encrypted_key: about(
    'Base64 of a random AES-256 key, wrapped with RSA-OAEP-SHA256 for the key of readPublicKey.',
    Type.String({
      minLength: 1,
      maxLength: encryptedKeyMaxLength,
      pattern: strictBase64Pattern,
    }),
    'bWFkZS11cC13cmFwcGVkLWtleQ==',
  ),
  iv: about(
    'Base64 of the 12 bytes of the AES-GCM nonce.',
    Type.String({ pattern: ivPattern }),
    'AAECAwQFBgcICQoL',
  ),
  ciphertext: about(
    'Base64 of the value encrypted with AES-256-GCM, tag at the end. The value has 4 bytes to 64 KiB of UTF-8.',
    Type.String({
      minLength: 1,
      maxLength: secretCiphertextMaxLength,
      pattern: strictBase64Pattern,
    }),
    'bWFkZS11cC1jaXBoZXJ0ZXh0',
  ),
})
export type EncryptedValue = Static<typeof EncryptedValue>

/**
 * Identifies a secret. The consumer is the room, department or company that the secret is supplied for, not the owner
 * of the task.
 */
const address = {
  consumer_scope: about(
    'Kind of the consumer: who the secret is supplied for, not the owner of the task.',
    Scope,
  ),
  consumer_id: about('Identifier of the consumer.', ChatroomId),
  task_id: TaskId,
  slot_name: about('Slot of the task: the name of the environment variable.', SecretSlotName, 'API_TOKEN'),
}

/**
 * The server requires `encrypted_value` and refuses `value`, each with its own slug (contract part 2, "Secret write
 * validation errors"). An empty or null `value` is ignored.
 */
export const SecretWriteRequest = Strict({
  ...address,
  encrypted_value: about('The value, encrypted by the client; required.', Omissible(EncryptedValue)),
  value: about('Always refused: a value is never sent as plain text.', Type.Optional(Type.Unknown()), null),
})
export type SecretWriteRequest = Static<typeof SecretWriteRequest>

export const SecretRevokeRequest = Strict(address)
export type SecretRevokeRequest = Static<typeof SecretRevokeRequest>

/** A secret without its value, which no route returns. */
export const SecretBinding = Type.Object({
  id: SecretId,
  company_id: CompanyId,
  consumer_scope: about('Kind of the consumer.', Scope),
  consumer_id: about('Identifier of the consumer.', Type.String(), exampleId('chatroom')),
  task_id: TaskId,
  slot_name: about('Slot of the task: the name of the environment variable.', Type.String(), 'API_TOKEN'),
  generation: about('Rises with each new value.', Ordinal, 1),
  state: about('Where the secret is in its life.', OneOf(secretBindingStates), 'active'),
  has_provider_binding: about('A value is stored.', Type.Boolean(), true),
})
export type SecretBinding = Static<typeof SecretBinding>

/** `truncated`: further secrets are on the next page. */
export const SecretBindingList = Type.Object({
  ...listOf(SecretBinding).properties,
  truncated: about('Further secrets are on the next page.', Type.Boolean(), false),
})
export type SecretBindingList = Static<typeof SecretBindingList>

export const secretOperationTypes = ['create', 'rotate', 'revoke'] as const
export type SecretOperationType = (typeof secretOperationTypes)[number]

export const SecretOperation = Type.Object({
  operation_id: SecretOperationId,
  operation_type: about('Kind of the operation.', OneOf(secretOperationTypes)),
  operation_state: about('How far it is.', OneOf(secretOperationStates), 'applied'),
  binding: about('The secret after it, without its value.', SecretBinding),
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
