import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, CompanyId, DepartmentId } from '../../identifiers.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, Ordinal, Strict, VisibleText } from '../../schema.ts'

export const Chatroom = Type.Object({
  id: ChatroomId,
  company_id: CompanyId,
  department_id: DepartmentId,
  name: about('Name of the room.', Type.String(), 'Sales'),
  authority_generation: about(
    'Rises when the room moves to another department or is deleted; earlier grants then no longer apply.',
    Ordinal,
    1,
  ),
  created_at: about('When it was created.', DateTime),
  deleted_at: about('When it was deleted; null if it was not.', Nullable(DateTime), null),
})
export type Chatroom = Static<typeof Chatroom>

export const ChatroomList = listOf(Chatroom)
export type ChatroomList = Static<typeof ChatroomList>

/** A room as shown to its members and managers. */
export const OwnChatroom = Type.Object({
  id: ChatroomId,
  name: about('Name of the room.', Type.String(), 'Sales'),
  department_id: DepartmentId,
  department_name: about('Name of its department.', Type.String(), 'Trade'),
  manages: about(
    'Whether the caller manages the room; a member does only with the manager flag.',
    Type.Boolean(),
    false,
  ),
})
export type OwnChatroom = Static<typeof OwnChatroom>

export const OwnChatroomList = listOf(OwnChatroom)
export type OwnChatroomList = Static<typeof OwnChatroomList>

export const ChatroomCreateRequest = Strict({
  department_id: DepartmentId,
  name: about(
    'Name of the room, unique in the department.',
    VisibleText({ maxLength: nameMaxLength }),
    'Sales',
  ),
})
export type ChatroomCreateRequest = Static<typeof ChatroomCreateRequest>

/** A different `department_id` moves the room. */
export const ChatroomUpdateRequest = Strict({
  department_id: about('Another department moves the room.', Type.Optional(DepartmentId)),
  name: about(
    'New name of the room.',
    Type.Optional(VisibleText({ maxLength: nameMaxLength })),
    'Sales Asia',
  ),
})
export type ChatroomUpdateRequest = Static<typeof ChatroomUpdateRequest>
