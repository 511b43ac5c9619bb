import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { MessageId, RunId } from '../../identifiers.ts'
import { Identifier } from '../../ids.ts'
import { messageTextMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal, Strict, VisibleText } from '../../schema.ts'

export const MessagePostRequest = Strict({
  text: about(
    'Text of the person, at most 16,384 characters.',
    VisibleText({ maxLength: messageTextMaxLength }),
    'Please run the sales report for October.',
  ),
})
export type MessagePostRequest = Static<typeof MessagePostRequest>

/** A message of a person, and the signed context in which an agent acts in that turn (contract part 3, D2). */
export const PostedMessage = Type.Object({
  message_id: MessageId,
  sequence: about('Number of the message; it rises within the room.', Ordinal, 42),
  turn_context: about(
    'Signed token with which an agent acts in this turn, as `X-Turn-Context`.',
    Type.String(),
    'eyJhbGciOiJFZERTQSJ9.eyJwdXJwb3NlIjoidHVybiJ9.c2lnbmF0dXJl',
  ),
  expires_at: about('Until when the turn context is valid: 600 seconds.', DateTime),
})
export type PostedMessage = Static<typeof PostedMessage>

/** A message in a room. Those of the service start no turn, and confirm nothing. */
export const RoomMessage = Type.Object({
  message_id: MessageId,
  sequence: about('Number of the message; it rises within the room.', Ordinal, 43),
  author_type: about(
    'A person of the company, an external person, or the service.',
    OneOf(['user', 'social_media_client', 'system']),
    'system',
  ),
  author_id: about('The author; null for the service.', Nullable(Identifier), null),
  run_id: about('The run whose end the service reports, or null.', Nullable(RunId)),
  text: about('The text as written.', Type.String(), 'Report: completed'),
  created_at: about('When it was posted.', DateTime),
})
export type RoomMessage = Static<typeof RoomMessage>

export const RoomMessageList = listOf(RoomMessage)
export type RoomMessageList = Static<typeof RoomMessageList>

export const RoomNotifications = Strict({
  announces_runs: about(
    'Whether the service posts a message in the room when a run of it ends.',
    Type.Boolean(),
    true,
  ),
})
export type RoomNotifications = Static<typeof RoomNotifications>
