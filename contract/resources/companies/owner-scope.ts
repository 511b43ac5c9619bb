import type { Static } from 'typebox'
import { OneOf } from '../../schema.ts'

/** Kinds of owners, share targets and consumers. */
export const scopes = ['chatroom', 'department', 'company'] as const
export const Scope = OneOf(scopes)
export type Scope = Static<typeof Scope>

/** Kinds of owners of new environments and tasks; a chatroom cannot own either. */
export const ownerScopes = ['department', 'company'] as const
export const OwnerScope = OneOf(ownerScopes)
export type OwnerScope = Static<typeof OwnerScope>
