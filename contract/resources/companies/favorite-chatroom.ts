import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId } from '../../identifiers.ts'

/** Whether a room is a favourite of the caller (contract part 3, D13). */
export const FavoriteChatroom = Type.Object({
  chatroom_id: ChatroomId,
  favorite: about('Whether the room comes first in lists of the caller.', Type.Boolean(), true),
})
export type FavoriteChatroom = Static<typeof FavoriteChatroom>
