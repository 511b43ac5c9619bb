import type { ApiKeyCreateRequest } from '@sandbox-jobs/contract/resources/access/api-key.ts'

/** Days after which a key expires; undefined: never. */
export const lifetimes = { month: 30, quarter: 90, year: 365, never: undefined } as const
export type Lifetime = keyof typeof lifetimes

export interface KeyDraft {
  name: string
  scope: 'sandbox' | 'full'
  rooms: string[]
  /** Empty: the person who makes the key. */
  owner: string
  /** One origin per line. Empty: the key is accepted from every origin. */
  origins: string
  lifetime: Lifetime
}

export const emptyKey: KeyDraft = {
  name: '',
  scope: 'sandbox',
  rooms: [],
  owner: '',
  origins: '',
  lifetime: 'quarter',
}

const dayMs = 86_400_000

export const isNamed = ({ name }: KeyDraft): boolean => name.trim() !== ''
/** A key for rooms names at least one. */
export const namesRooms = ({ scope, rooms }: KeyDraft): boolean => scope === 'full' || rooms.length > 0

/** The request that makes the key. */
export function requestOf(draft: KeyDraft, now: number): ApiKeyCreateRequest {
  const days = lifetimes[draft.lifetime]
  const domains = [...new Set(draft.origins.split(/\s+/).filter((origin) => origin !== ''))]
  return {
    name: draft.name,
    scope: draft.scope,
    ...(draft.scope === 'sandbox' && { allowed_chatroom_ids: draft.rooms }),
    ...(draft.owner !== '' && { owner_user_id: draft.owner }),
    ...(domains.length > 0 && { domains }),
    ...(days !== undefined && { expires_at: new Date(now + days * dayMs).toISOString() }),
  }
}
