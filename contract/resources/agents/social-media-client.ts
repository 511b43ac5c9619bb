import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, SocialClientId } from '../../identifiers.ts'
import { nameMaxLength } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, PlainText, Strict } from '../../schema.ts'

export const socialMediaChannels = ['line', 'messenger', 'whatsapp'] as const
export type SocialMediaChannel = (typeof socialMediaChannels)[number]

/** An external person in a room, known by channel and client id (contract part 3, D1). */
export const SocialMediaClient = Type.Object({
  id: SocialClientId,
  chatroom_id: ChatroomId,
  channel: about('Messaging channel of the person.', OneOf(socialMediaChannels)),
  client_id: about('Identifier of the person on the channel.', Type.String(), 'U4af4980629'),
  display_name: about('Name as people see it.', Type.String(), 'Grace'),
  created_at: about('When it was created.', DateTime),
  removed_at: about(
    'When the person was removed from the room; null if they were not.',
    Nullable(DateTime),
    null,
  ),
})
export type SocialMediaClient = Static<typeof SocialMediaClient>

export const SocialMediaClientList = listOf(SocialMediaClient)
export type SocialMediaClientList = Static<typeof SocialMediaClientList>

export const clientIdPattern = '^[A-Za-z0-9_.:@+-]{1,128}$'

export const SocialMediaClientCreateRequest = Strict({
  channel: about('Messaging channel of the person.', OneOf(socialMediaChannels)),
  client_id: about(
    'Identifier of the person on the channel.',
    Type.String({ pattern: clientIdPattern }),
    'U4af4980629',
  ),
  display_name: about(
    'Name as people see it; by default empty.',
    Type.Optional(PlainText({ maxLength: nameMaxLength })),
    'Grace',
  ),
})
export type SocialMediaClientCreateRequest = Static<typeof SocialMediaClientCreateRequest>
