import { type CatalogueEntry, entry } from './catalogue-entry.ts'

/** Notifications and webhooks. */
export const notificationErrors = {
  webhook_limit: entry(409, 'The company has 20 webhooks, the maximum.', 'Remove one that is not needed.'),
  webhook_paused: entry(409, 'The webhook is paused.', 'Resume it first.'),
} satisfies Record<string, CatalogueEntry>
