import { Type } from 'typebox'
import { about } from '../about.ts'
import { NotificationId } from '../identifiers.ts'
import { catalogPageSizeDefault, pageSizeMax } from '../limits.ts'
import { pageFields } from '../pagination.ts'
import { RoomMessageList, RoomNotifications } from '../resources/agents/message.ts'
import { MailPreferences, MailPreferencesUpdateRequest } from '../resources/notifications/mail-preferences.ts'
import { Notification, NotificationList } from '../resources/notifications/notification.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { ChatroomParams } from './run-routes.ts'

export const notifications = '/private/notifications'
const chatroom = `${extensionPrefix}/chatrooms/{cid}` as const
const mailPreferences = `${extensionPrefix}/notifications/mail` as const
const own = { tag: 'Notifications' } as const

/** The notifications of the caller (contract part 2, "Events"; part 3, D5), and messages of rooms. */
export const notificationRoutes = {
  listNotifications: route({
    ...own,
    action: 'notification.list',
    method: 'GET',
    path: notifications,
    summary: 'List the notifications of the caller, newest first',
    description:
      'The newest 1,000 of the last 90 days. A run notifies its submitter; builds, findings and images notify the managers of the owner of the environment. They do not replace polling.',
    query: Type.Object({
      ...pageFields(catalogPageSizeDefault),
      unread: about(
        'Only those that are not read, or only those that are.',
        Type.Optional(Type.Boolean()),
        true,
      ),
    }),
    response: NotificationList,
    errors: [],
  }),
  readNotification: route({
    ...own,
    action: 'notification.mark',
    method: 'POST',
    path: `${notifications}/{nid}/read`,
    summary: 'Mark a notification as read',
    description: 'Repeating it changes nothing.',
    params: Strict({ nid: NotificationId }),
    response: Notification,
    errors: ['not_found'],
  }),
  readMailPreferences: route({
    ...own,
    action: 'notification.set_mail',
    method: 'GET',
    path: mailPreferences,
    summary: 'Read whether the caller gets e-mails, and about what not',
    description:
      'E-mails repeat notifications, where the operator has configured a mail server and given the caller an address.',
    response: MailPreferences,
    errors: ['not_found'],
  }),
  updateMailPreferences: route({
    ...own,
    action: 'notification.set_mail',
    method: 'PUT',
    path: mailPreferences,
    summary: 'Set what the caller gets no e-mail about',
    description: 'Replaces the list. Notifications in the notification centre do not change.',
    body: MailPreferencesUpdateRequest,
    response: MailPreferences,
    errors: ['not_found'],
  }),
  listRoomMessages: route({
    ...own,
    action: 'message.list',
    method: 'GET',
    path: `${chatroom}/messages`,
    summary: 'List the messages of a chatroom in their order',
    description:
      'With `after_sequence` only later ones, so that a chat pipeline can follow. Messages of the service have the author `system`; they start no turn.',
    params: ChatroomParams,
    query: Type.Object({
      ...pageFields(pageSizeMax),
      after_sequence: about(
        'Only messages with a higher number.',
        Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        42,
      ),
    }),
    response: RoomMessageList,
    errors: ['not_found'],
  }),
  readRoomNotifications: route({
    ...own,
    action: 'room.read_notifications',
    method: 'GET',
    path: `${chatroom}/notifications`,
    summary: 'Read whether the ends of runs are announced in a chatroom',
    description: 'Nothing is announced unless a manager of the room has switched it on.',
    params: ChatroomParams,
    response: RoomNotifications,
    errors: ['not_found'],
  }),
  updateRoomNotifications: route({
    ...own,
    action: 'room.set_notifications',
    method: 'PUT',
    path: `${chatroom}/notifications`,
    summary: 'Set whether the service posts a message in a chatroom when a run of it ends',
    description: 'Such a message is no human turn: an agent cannot act in it, and it confirms nothing.',
    params: ChatroomParams,
    body: RoomNotifications,
    response: RoomNotifications,
    errors: ['not_found'],
  }),
}
