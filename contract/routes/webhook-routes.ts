import { Type } from 'typebox'
import { WebhookDeliveryId, WebhookId } from '../identifiers.ts'
import { catalogPageSizeDefault } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import {
  Webhook,
  WebhookCreateRequest,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookUpdateRequest,
  WebhookWithSecret,
} from '../resources/notifications/webhook.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'

const webhooks = `${extensionPrefix}/webhooks` as const
const one = `${webhooks}/{wid}` as const
const WebhookParams = Strict({ wid: WebhookId })
const managed = { action: 'webhook.manage', tag: 'Notifications' } as const
const ofOne = { ...managed, params: WebhookParams, plainErrors: ['role_too_low'] } as const

/** Signed outgoing webhooks (contract part 3, D6), for managers of the company. */
export const webhookRoutes = {
  listWebhooks: route({
    ...managed,
    method: 'GET',
    path: webhooks,
    summary: 'List the webhooks of the company',
    description: 'All on one page. Their secrets are not shown.',
    response: WebhookList,
    errors: [],
    plainErrors: ['role_too_low'],
  }),
  createWebhook: route({
    ...managed,
    method: 'POST',
    path: webhooks,
    summary: 'Create a webhook: the events of the company are posted to its address',
    description:
      'Posts are signed as Standard Webhooks defines, and repeated with growing pauses for three days until one answers with 2xx. The answer has the secret, which is not shown again. An address inside of the network is refused.',
    body: WebhookCreateRequest,
    response: WebhookWithSecret,
    errors: ['webhook_limit', 'sandbox_vault_unconfigured'],
    plainErrors: ['role_too_low'],
  }),
  readWebhook: route({
    ...ofOne,
    method: 'GET',
    path: one,
    summary: 'Read a webhook',
    description: 'Says whether it is paused, and since when it fails.',
    response: Webhook,
    errors: ['not_found'],
  }),
  updateWebhook: route({
    ...ofOne,
    method: 'PATCH',
    path: one,
    summary: 'Change, pause or resume a webhook',
    description: 'Deliveries that wait when it is paused end as failed.',
    body: WebhookUpdateRequest,
    response: Webhook,
    errors: ['not_found', 'no_fields'],
  }),
  deleteWebhook: route({
    ...ofOne,
    method: 'DELETE',
    path: one,
    summary: 'Remove a webhook with its deliveries',
    description: 'An attempt in progress ends by itself.',
    response: Webhook,
    errors: ['not_found'],
  }),
  rotateWebhookSecret: route({
    ...ofOne,
    method: 'POST',
    path: `${one}/rotate-secret`,
    summary: 'Make a new signing secret for a webhook',
    description:
      'For 24 hours each post has signatures of both secrets, so that the receiver can change without a gap. The answer has the new secret, which is not shown again.',
    response: WebhookWithSecret,
    errors: ['not_found', 'sandbox_vault_unconfigured'],
  }),
  testWebhook: route({
    ...ofOne,
    method: 'POST',
    path: `${one}/test`,
    summary: 'Post a test event to a webhook',
    description:
      'It is signed and repeated as every event, whatever events the webhook gets. Its `type` is `test`, its `data` has the company alone. A test that still waits is the answer to the next one too.',
    response: WebhookDelivery,
    errors: ['not_found', 'webhook_paused'],
  }),
  listWebhookDeliveries: route({
    ...ofOne,
    method: 'GET',
    path: `${one}/deliveries`,
    summary: 'List the deliveries of a webhook, newest first',
    description: 'Those that wait, and the newest 1,000 that ended.',
    query: Type.Object(pageFields(catalogPageSizeDefault)),
    response: WebhookDeliveryList,
    errors: ['not_found'],
  }),
  redeliver: route({
    ...managed,
    method: 'POST',
    path: `${one}/deliveries/{did}/redeliver`,
    summary: 'Deliver an event again, with the same id',
    description: 'It is attempted soon, and again for three days if that fails.',
    params: Strict({ wid: WebhookId, did: WebhookDeliveryId }),
    response: WebhookDelivery,
    errors: ['not_found'],
    plainErrors: ['role_too_low'],
  }),
}
