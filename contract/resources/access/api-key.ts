import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Strict, VisibleText } from '../../schema.ts'

export const apiKeyScopes = ['full', 'sandbox'] as const
/** `sandbox` keys submit, read and cancel their own runs in named rooms, and nothing else. */
export const ApiKeyScope = OneOf(apiKeyScopes)
export type ApiKeyScope = Static<typeof ApiKeyScope>

export const apiKeyChatroomsMax = 1000
export const apiKeyDomainsMax = 100

const AllowedChatrooms = Type.Array(Identifier, { maxItems: apiKeyChatroomsMax, uniqueItems: true })
export const DomainText = Type.String({ minLength: 1, maxLength: 253, pattern: '^[^\\s\\u0000]+$' })
/** Origins that a browser may call from, or the single entry `*`. */
const Domains = Type.Array(DomainText, {
  minItems: 1,
  maxItems: apiKeyDomainsMax,
  uniqueItems: true,
})

/** An existing key, without its secret. */
export const ApiKey = Type.Object({
  id: Identifier,
  company_id: Identifier,
  owner_user_id: Identifier,
  name: Type.String(),
  scope: ApiKeyScope,
  allowed_chatroom_ids: Type.Array(Identifier),
  domains: Type.Array(Type.String()),
  created_at: DateTime,
  expires_at: Nullable(DateTime),
  revoked_at: Nullable(DateTime),
  last_used_at: Nullable(DateTime),
})
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyList = listOf(ApiKey)
export type ApiKeyList = Static<typeof ApiKeyList>

/** The only response that contains the key itself. */
export const ApiKeyCreated = Type.Object({ ...ApiKey.properties, api_key: Type.String() })
export type ApiKeyCreated = Static<typeof ApiKeyCreated>

/** The owner defaults to the caller, `domains` to `*`; a `sandbox` key needs at least one room. */
export const ApiKeyCreateRequest = Strict({
  name: VisibleText({ maxLength: nameMaxLength }),
  scope: ApiKeyScope,
  owner_user_id: Omissible(Identifier),
  allowed_chatroom_ids: Type.Optional(AllowedChatrooms),
  domains: Type.Optional(Domains),
  expires_at: Omissible(DateTime),
})
export type ApiKeyCreateRequest = Static<typeof ApiKeyCreateRequest>
