import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { Strict } from '../../schema.ts'

/** A user in a chatroom. */
export const Membership = Type.Object({
  chatroom_id: Identifier,
  user_id: Identifier,
  display_name: Type.String(),
  room_manager: Type.Boolean(),
})
export type Membership = Static<typeof Membership>

export const MembershipList = listOf(Membership)
export type MembershipList = Static<typeof MembershipList>

export const MembershipPutRequest = Strict({ room_manager: Type.Optional(Type.Boolean()) })
export type MembershipPutRequest = Static<typeof MembershipPutRequest>
