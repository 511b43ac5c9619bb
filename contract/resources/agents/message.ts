import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { messageTextMaxLength } from '../../limits.ts'
import { DateTime, Ordinal, Strict, VisibleText } from '../../schema.ts'

export const MessagePostRequest = Strict({ text: VisibleText({ maxLength: messageTextMaxLength }) })
export type MessagePostRequest = Static<typeof MessagePostRequest>

/** A message of a person, and the signed context in which an agent acts in that turn (contract part 3, D2). */
export const PostedMessage = Type.Object({
  message_id: Identifier,
  /** Increases within the room. */
  sequence: Ordinal,
  turn_context: Type.String(),
  expires_at: DateTime,
})
export type PostedMessage = Static<typeof PostedMessage>
