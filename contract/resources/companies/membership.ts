import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, UserId } from '../../identifiers.ts'
import { listOf } from '../../pagination.ts'
import { Strict } from '../../schema.ts'

/** A user in a chatroom. */
export const Membership = Type.Object({
  chatroom_id: ChatroomId,
  user_id: UserId,
  display_name: about('Name of the user as people see it.', Type.String(), 'Ada'),
  room_manager: about('Whether the user manages the room.', Type.Boolean(), false),
})
export type Membership = Static<typeof Membership>

export const MembershipList = listOf(Membership)
export type MembershipList = Static<typeof MembershipList>

export const MembershipPutRequest = Strict({
  room_manager: about(
    'Whether the user manages the room; false for a new member if left out, otherwise unchanged.',
    Type.Optional(Type.Boolean()),
    false,
  ),
})
export type MembershipPutRequest = Static<typeof MembershipPutRequest>
