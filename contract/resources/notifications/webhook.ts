import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { EventId, WebhookDeliveryId, WebhookId } from '../../identifiers.ts'
import { webhookDescriptionMaxLength, webhookUrlMaxLength, webhookUrlPattern } from '../../limits.ts'
import { listOf } from '../../pagination.ts'
import { Count, DateTime, Nullable, OneOf, PlainText, Strict } from '../../schema.ts'
import { notificationEvents } from './notification-event.ts'

const url = about(
  'Address that gets the events: `https`, without a user or a fragment.',
  Type.String({ minLength: 1, maxLength: webhookUrlMaxLength, pattern: webhookUrlPattern }),
  'https://example.org/hooks/sandbox',
)
const description = about(
  'For people.',
  PlainText({ maxLength: webhookDescriptionMaxLength }),
  'Chat pipeline',
)
const events = about(
  'Events that it gets; an empty list means all.',
  Type.Array(OneOf(notificationEvents), { maxItems: notificationEvents.length, uniqueItems: true }),
  ['run_terminal'],
)

export const WebhookCreateRequest = Strict({
  url,
  description: Type.Optional(description),
  events: Type.Optional(events),
})
export type WebhookCreateRequest = Static<typeof WebhookCreateRequest>

export const WebhookUpdateRequest = Strict({
  url: Type.Optional(url),
  description: Type.Optional(description),
  events: Type.Optional(events),
  paused: about(
    'True pauses it: new events are not queued. False resumes it.',
    Type.Optional(Type.Boolean()),
    false,
  ),
})
export type WebhookUpdateRequest = Static<typeof WebhookUpdateRequest>

/** A webhook of the company (contract part 3, D6). */
export const Webhook = Type.Object({
  id: WebhookId,
  url,
  description,
  events,
  paused_at: about('Since when it is paused, or null.', Nullable(DateTime), null),
  paused_because: about(
    '`manager`: somebody paused it. `gone`: it answered 410. `failing`: no attempt succeeded for three days.',
    Nullable(OneOf(['manager', 'gone', 'failing'])),
    null,
  ),
  failing_since: about('Since when no attempt has succeeded, or null.', Nullable(DateTime), null),
  dropped: about('Events that were not queued, because 1,000 were waiting.', Count, 0),
  created_at: about('When it was created.', DateTime),
})
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object({
  ...Webhook.properties,
  secret: about(
    'Signing secret as Standard Webhooks libraries take it. It is shown only here.',
    Type.String(),
    'whsec_3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs=',
  ),
})
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const WebhookList = listOf(Webhook)
export type WebhookList = Static<typeof WebhookList>

/** Besides the events of the company: asked for by a manager. */
export const webhookTestEvent = 'test'

export const webhookDeliveryStates = ['waiting', 'delivered', 'failed'] as const

/** One event for one webhook. */
export const WebhookDelivery = Type.Object({
  id: WebhookDeliveryId,
  event_id: about('The `webhook-id` of each attempt: equal ids are the same event.', EventId),
  event: about(
    'The event; `test` is one of testWebhook.',
    OneOf([...notificationEvents, webhookTestEvent]),
    'run_terminal',
  ),
  state: about(
    'Whether it waits for an attempt, or how it ended.',
    OneOf(webhookDeliveryStates),
    'delivered',
  ),
  attempts: about('Attempts so far.', Count, 1),
  last_attempt_at: about('When the last attempt began, or null.', Nullable(DateTime)),
  last_status: about('HTTP status of the last attempt, or null.', Nullable(Type.Integer()), 200),
  last_error: about('Why the last attempt failed, as a slug, or null.', Nullable(Type.String()), null),
  next_attempt_at: about('When it is attempted next; null once it ended.', Nullable(DateTime), null),
  created_at: about('When the event was queued.', DateTime),
})
export type WebhookDelivery = Static<typeof WebhookDelivery>

export const WebhookDeliveryList = listOf(WebhookDelivery)
export type WebhookDeliveryList = Static<typeof WebhookDeliveryList>
