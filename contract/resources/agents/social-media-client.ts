import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, PlainText, Strict } from '../../schema.ts'

export const socialMediaChannels = ['line', 'messenger', 'whatsapp'] as const
export type SocialMediaChannel = (typeof socialMediaChannels)[number]

/** An external person in a room, known by channel and client id (contract part 3, D1). */
export const SocialMediaClient = Type.Object({
  id: Identifier,
  chatroom_id: Identifier,
  channel: OneOf(socialMediaChannels),
  client_id: Type.String(),
  display_name: Type.String(),
  created_at: DateTime,
  removed_at: Nullable(DateTime),
})
export type SocialMediaClient = Static<typeof SocialMediaClient>

export const SocialMediaClientList = listOf(SocialMediaClient)
export type SocialMediaClientList = Static<typeof SocialMediaClientList>

export const clientIdPattern = '^[A-Za-z0-9_.:@+-]{1,128}$'

export const SocialMediaClientCreateRequest = Strict({
  channel: OneOf(socialMediaChannels),
  client_id: Type.String({ pattern: clientIdPattern }),
  display_name: Type.Optional(PlainText({ maxLength: nameMaxLength })),
})
export type SocialMediaClientCreateRequest = Static<typeof SocialMediaClientCreateRequest>
