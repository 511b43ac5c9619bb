import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ApiKeyId, ChatroomId, CompanyId, UserId } from '../../identifiers.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Omissible, OneOf, Strict, VisibleText } from '../../schema.ts'

export const apiKeyScopes = ['full', 'sandbox'] as const
/** `sandbox` keys submit, read and cancel their own runs in named rooms, and nothing else. */
export const ApiKeyScope = OneOf(apiKeyScopes)
export type ApiKeyScope = Static<typeof ApiKeyScope>

export const apiKeyChatroomsMax = 1000
export const apiKeyDomainsMax = 100

const AllowedChatrooms = Type.Array(ChatroomId, { maxItems: apiKeyChatroomsMax, uniqueItems: true })
export const DomainText = Type.String({ minLength: 1, maxLength: 253, pattern: '^[^\\s\\u0000]+$' })
/** Origins that a browser may call from, or the single entry `*`. */
const Domains = Type.Array(DomainText, {
  minItems: 1,
  maxItems: apiKeyDomainsMax,
  uniqueItems: true,
})

/** An existing key, without its secret. */
export const ApiKey = Type.Object({
  id: ApiKeyId,
  company_id: CompanyId,
  owner_user_id: about('User whose rights the key has.', UserId),
  name: about('Name of the key, unique in the company.', Type.String(), 'Shop assistant'),
  scope: about(
    '`full`: what its owner may do. `sandbox`: submit, read and cancel its own runs in the allowed rooms.',
    ApiKeyScope,
    'sandbox',
  ),
  allowed_chatroom_ids: about(
    'Rooms that a `sandbox` key may use; empty for a `full` key.',
    Type.Array(ChatroomId),
  ),
  domains: about('Origins that browsers may call from; `*` for any.', Type.Array(Type.String()), [
    'https://shop.example.com',
  ]),
  created_at: about('When it was created.', DateTime),
  expires_at: about('When it stops working; null: never.', Nullable(DateTime), null),
  revoked_at: about('When it was revoked; null if it was not.', Nullable(DateTime), null),
  last_used_at: about('When it was last used; null if it never was.', Nullable(DateTime)),
})
export type ApiKey = Static<typeof ApiKey>

export const ApiKeyList = listOf(ApiKey)
export type ApiKeyList = Static<typeof ApiKeyList>

/** The only response that contains the key itself. */
export const ApiKeyCreated = Type.Object({
  ...ApiKey.properties,
  api_key: about(
    'The key itself, shown only here. Send it as `X-Api-Key`.',
    Type.String(),
    'sbk_4f1c2a90d7b84e6fb3a15c8e2d907f46',
  ),
})
export type ApiKeyCreated = Static<typeof ApiKeyCreated>

/** The owner defaults to the caller, `domains` to `*`; a `sandbox` key needs at least one room. */
export const ApiKeyCreateRequest = Strict({
  name: about(
    'Name of the key, unique in the company.',
    VisibleText({ maxLength: nameMaxLength }),
    'Shop assistant',
  ),
  scope: about(
    '`full`: what its owner may do. `sandbox`: submit, read and cancel its own runs in the allowed rooms.',
    ApiKeyScope,
    'sandbox',
  ),
  owner_user_id: about('User whose rights the key has; by default the caller.', Omissible(UserId)),
  allowed_chatroom_ids: about(
    'Rooms that a `sandbox` key may use, at least one; left out for a `full` key.',
    Type.Optional(AllowedChatrooms),
  ),
  domains: about('Origins that browsers may call from; by default `*`, any.', Type.Optional(Domains), [
    'https://shop.example.com',
  ]),
  expires_at: about('When it stops working; null or left out: never.', Omissible(DateTime), null),
})
export type ApiKeyCreateRequest = Static<typeof ApiKeyCreateRequest>
