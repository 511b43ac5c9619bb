import type { Action } from './action.ts'
import { companyManagers, everybody, recipients } from './role.ts'

/** Notifications: each caller has their own. */
export const notificationActions = {
  'notification.list': {
    does: 'List the own notifications',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'event.follow': {
    does: 'Follow what happens to runs, builds and menus that the caller may see, and to the own notifications',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'notification.set_mail': {
    does: 'Read and change what the service sends e-mails to oneself about',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'webhook.manage': {
    does: 'Manage the webhooks of the company, and read their deliveries',
    subject: 'company',
    roles: companyManagers,
    key: 403,
    refusal: 'role_too_low',
  },
  'notification.mark_all': {
    does: 'Mark all own notifications as read',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'inbox.read': {
    does: 'Read what waits for a decision of the caller',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'notification.mark': {
    does: 'Mark a notification as read',
    subject: 'notification',
    roles: recipients,
    key: 403,
    refusal: 'hidden',
  },
} as const satisfies Record<string, Action>
