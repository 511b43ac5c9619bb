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
