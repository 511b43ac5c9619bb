import { liveEventsMaxSeconds, pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { listMessages } from '../../agents/turns/messages.ts'
import {
  readRoomNotifications,
  updateRoomNotifications,
} from '../../companies/chatrooms/room-announcements.ts'
import { readTopics } from '../../notifications/events/event-topics.ts'
import type { LiveEvents } from '../../notifications/events/live-events.ts'
import { type InboxDeps, readInbox } from '../../notifications/inbox/read-inbox.ts'
import {
  type MailPreferenceDeps,
  readMailPreferences,
  updateMailPreferences,
} from '../../notifications/mail/mail-preferences.ts'
import {
  type CentreDeps,
  listNotifications,
  readAllNotifications,
  readNotification,
} from '../../notifications/notification-centre.ts'
import { listDeliveries, redeliver, testWebhook } from '../../notifications/webhooks/deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  readWebhook,
  rotateWebhookSecret,
  updateWebhook,
  type WebhookDeps,
} from '../../notifications/webhooks/webhooks.ts'
import { currentCaller } from '../caller.ts'
import type { Mount } from '../mount.ts'
import { eventStream, eventStreamHeaders } from '../responses/event-stream.ts'
import { waitSignal } from '../responses/wait-signal.ts'

/** The notification centre (contract part 3, D5), and messages in rooms. */
export function mountNotificationRoutes(
  mount: Mount,
  services: CentreDeps & MailPreferenceDeps & InboxDeps,
): void {
  mount(allRoutes.listNotifications, ({ principal, query }) => listNotifications(services, principal, query))
  mount(allRoutes.readMailPreferences, ({ principal }) => readMailPreferences(services, principal))
  mount(allRoutes.updateMailPreferences, ({ principal, body }) =>
    updateMailPreferences(services, principal, body),
  )
  mount(allRoutes.listRoomMessages, ({ principal, params, query }) =>
    listMessages(services, principal, params.cid, query),
  )
  mount(allRoutes.readRoomNotifications, ({ principal, params }) =>
    readRoomNotifications(services, principal, params.cid),
  )
  mount(allRoutes.updateRoomNotifications, ({ principal, params, body }) =>
    updateRoomNotifications(services, principal, params.cid, body),
  )
  mount(allRoutes.readAllNotifications, ({ principal, body }) =>
    readAllNotifications(services, principal, body),
  )
  mount(allRoutes.readInbox, ({ principal }) => readInbox(services, principal))
  mount(allRoutes.readNotification, ({ principal, params }) =>
    readNotification(services, principal, params.nid),
  )
}

/** Streams of what happens around people. */
export function mountEventRoutes(mount: Mount, live: LiveEvents): void {
  mount(allRoutes.followEvents, async ({ query, request, reply }) => {
    const { topics, seconds = liveEventsMaxSeconds } = query
    const followed = { topics: readTopics(topics), seconds, signal: waitSignal(reply) }
    const events = await live.follow(currentCaller(request), followed)
    return reply.headers(eventStreamHeaders).send(eventStream(events))
  })
}

/** Webhooks of the company (contract part 3, D6). */
export function mountWebhookRoutes(mount: Mount, deps: WebhookDeps): void {
  mount(allRoutes.listWebhooks, async ({ principal }) => {
    const items = await listWebhooks(deps, principal)
    return { items, page_size: pageSizeMax, next_page_token: null }
  })
  mount(allRoutes.createWebhook, ({ principal, body }) => createWebhook(deps, principal, body))
  mount(allRoutes.readWebhook, ({ principal, params }) => readWebhook(deps, principal, params.wid))
  mount(allRoutes.updateWebhook, ({ principal, params, body }) =>
    updateWebhook(deps, principal, params.wid, body),
  )
  mount(allRoutes.deleteWebhook, ({ principal, params }) => deleteWebhook(deps, principal, params.wid))
  mount(allRoutes.rotateWebhookSecret, ({ principal, params }) =>
    rotateWebhookSecret(deps, principal, params.wid),
  )
  mount(allRoutes.listWebhookDeliveries, ({ principal, params, query }) =>
    listDeliveries(deps, principal, params.wid, query),
  )
  mount(allRoutes.testWebhook, ({ principal, params }) => testWebhook(deps, principal, params.wid))
  mount(allRoutes.redeliver, ({ principal, params }) =>
    redeliver(deps, principal, { webhookId: params.wid, id: params.did }),
  )
}
