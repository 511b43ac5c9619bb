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
  listNotifications: {},
  readMailPreferences: {},
  updateMailPreferences: { body: () => ({ muted_events: ['run_terminal'] }) },
  readNotification: {},
}
