import type { Expectation } from './expectation.ts'

export const notifications: Record<string, Expectation> = {
  listWebhooks: {},
  createWebhook: { body: () => ({ url: 'https://example.org/hook' }) },
  readWebhook: {},
  updateWebhook: { body: () => ({ description: 'Changed' }) },
  deleteWebhook: {},
  rotateWebhookSecret: {},
  listWebhookDeliveries: {},
  redeliver: {},
  testWebhook: {},
  listNotifications: {},
  readMailPreferences: {},
  updateMailPreferences: { body: () => ({ muted_events: ['run_terminal'] }) },
  readNotification: {},
  readAllNotifications: { body: () => ({ before: '9999-12-31T23:59:59.999Z' }) },
  readInbox: {},
  followEvents: { query: { topics: 'me,room:*', seconds: '0' } },
}
