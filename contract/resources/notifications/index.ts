export { Inbox, ReadAllRequest, UnreadCount } from './inbox.ts'
export { LiveEvent } from './live-event.ts'
export { MailPreferences, MailPreferencesUpdateRequest } from './mail-preferences.ts'
export { Notification, NotificationList } from './notification.ts'
export {
  Webhook,
  WebhookCreateRequest,
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookList,
  WebhookUpdateRequest,
  WebhookWithSecret,
} from './webhook.ts'
