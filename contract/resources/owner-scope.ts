import type { Static } from 'typebox'
import { OneOf } from '../schema.ts'

/** Who can own, be shared with, or consume. */
export const scopes = ['chatroom', 'department', 'company'] as const
export const Scope = OneOf(scopes)
export type Scope = Static<typeof Scope>

/** Owners of new environments and tasks: a chatroom owns nothing. */
export const ownerScopes = ['department', 'company'] as const
export const OwnerScope = OneOf(ownerScopes)
export type OwnerScope = Static<typeof OwnerScope>
