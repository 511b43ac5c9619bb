import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { Nullable, OneOf, Strict } from '../../schema.ts'
import { notificationEvents } from './notification-event.ts'

const muted_events = about(
  'Events that the caller gets no e-mail about.',
  Type.Array(OneOf(notificationEvents), { maxItems: notificationEvents.length, uniqueItems: true }),
  ['run_terminal'],
)

/** E-mail to the caller about their notifications. */
export const MailPreferences = Type.Object({
  is_sent: about(
    'Whether e-mails are sent: the service has a mail server, and the caller an address.',
    Type.Boolean(),
    true,
  ),
  address: about(
    'Address of the caller, which the operator sets in the directory; null: none.',
    Nullable(Type.String()),
    'ada@example.org',
  ),
  muted_events,
})
export type MailPreferences = Static<typeof MailPreferences>

export const MailPreferencesUpdateRequest = Strict({ muted_events })
export type MailPreferencesUpdateRequest = Static<typeof MailPreferencesUpdateRequest>
