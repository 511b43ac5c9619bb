import type { Action } from './action.ts'
import { everybody, recipients } from './role.ts'

/** Notifications: each caller has their own. */
export const notificationActions = {
  'notification.list': {
    does: 'List the own notifications',
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
