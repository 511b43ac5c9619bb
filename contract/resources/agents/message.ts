import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { MessageId } from '../../identifiers.ts'
import { messageTextMaxLength } from '../../limits.ts'
import { DateTime, Ordinal, Strict, VisibleText } from '../../schema.ts'

export const MessagePostRequest = Strict({
  text: about(
    'What the person wrote, at most 16,384 characters.',
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
