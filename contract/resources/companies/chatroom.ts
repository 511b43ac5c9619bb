import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Ordinal, Strict, VisibleText } from '../../schema.ts'

export const Chatroom = Type.Object({
  id: Identifier,
  company_id: Identifier,
  department_id: Identifier,
  name: Type.String(),
  /** Incremented when the room moves to another department or is deleted; earlier grants then no longer apply. */
  authority_generation: Ordinal,
  created_at: DateTime,
  deleted_at: Nullable(DateTime),
})
export type Chatroom = Static<typeof Chatroom>

export const ChatroomList = listOf(Chatroom)
export type ChatroomList = Static<typeof ChatroomList>

/** A room as shown to its members and managers. */
export const OwnChatroom = Type.Object({
  id: Identifier,
  name: Type.String(),
  department_id: Identifier,
  /** Whether the caller manages it; a member does only with the manager flag. */
  manages: Type.Boolean(),
})
export type OwnChatroom = Static<typeof OwnChatroom>

export const OwnChatroomList = listOf(OwnChatroom)
export type OwnChatroomList = Static<typeof OwnChatroomList>

export const ChatroomCreateRequest = Strict({
  department_id: Identifier,
  name: VisibleText({ maxLength: nameMaxLength }),
})
export type ChatroomCreateRequest = Static<typeof ChatroomCreateRequest>

/** A different `department_id` moves the room. */
export const ChatroomUpdateRequest = Strict({
  department_id: Type.Optional(Identifier),
  name: Type.Optional(VisibleText({ maxLength: nameMaxLength })),
})
export type ChatroomUpdateRequest = Static<typeof ChatroomUpdateRequest>
