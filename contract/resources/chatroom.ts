import { type Static, Type } from 'typebox'
import { Identifier } from '../ids.ts'
import { nameMaxLength } from '../limits.ts'
import { listOf } from '../pagination.ts'
import { DateTime, Nullable, Ordinal, Strict, VisibleText } from '../schema.ts'

export const Chatroom = Type.Object({
  id: Identifier,
  company_id: Identifier,
  department_id: Identifier,
  name: Type.String(),
  /** Raised when the room moves to another department or is deleted; earlier grants then no longer apply. */
  authority_generation: Ordinal,
  created_at: DateTime,
  deleted_at: Nullable(DateTime),
})
export type Chatroom = Static<typeof Chatroom>

export const ChatroomList = listOf(Chatroom)
export type ChatroomList = Static<typeof ChatroomList>

export const ChatroomCreateRequest = Strict({
  department_id: Identifier,
  name: VisibleText({ maxLength: nameMaxLength }),
})
export type ChatroomCreateRequest = Static<typeof ChatroomCreateRequest>

/** Another `department_id` moves the room. */
export const ChatroomUpdateRequest = Strict({
  department_id: Type.Optional(Identifier),
  name: Type.Optional(VisibleText({ maxLength: nameMaxLength })),
})
export type ChatroomUpdateRequest = Static<typeof ChatroomUpdateRequest>
