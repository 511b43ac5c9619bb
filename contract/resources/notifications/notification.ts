import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, NotificationId } from '../../identifiers.ts'
import { Identifier } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf, Ordinal } from '../../schema.ts'
import { notificationEvents } from './notification-event.ts'

/** The subject of a notification. `runs`: several runs of the recipient, which no single id names. */
export const notificationSubjects = ['run', 'runs', 'build', 'environment', 'environment_version'] as const
export type NotificationSubject = (typeof notificationSubjects)[number]

/** A notification of the caller (contract part 2, "Events"; part 3, D5). */
export const Notification = Type.Object({
  id: NotificationId,
  type: about('Always `sandbox_event`.', Type.Literal('sandbox_event'), 'sandbox_event'),
  event: about('The event.', OneOf(notificationEvents), 'run_terminal'),
  title: about('One line for people. Names are cut to 80 characters.', Type.String(), 'Report: completed'),
  deep_link: about(
    'Path of the console page about it.',
    Type.String(),
    '/console/chatrooms/roo_019abf3c5d7e7a10b2c4d6e8f0a1b3c5/runs/run_019abf3c5d7e7a10b2c4d6e8f0a1b3c5',
  ),
  subject_type: about('Kind of the object that `subject_id` names.', OneOf(notificationSubjects), 'run'),
  subject_id: about(
    'The object of the notification; null for `runs`.',
    Nullable(Identifier),
    'run_019abf3c5d7e7a10b2c4d6e8f0a1b3c5',
  ),
  chatroom_id: about('The room of a run; null for everything else.', Nullable(ChatroomId)),
  count: about('How many things it covers, such as findings of one scan.', Ordinal, 1),
  created_at: about('When it happened.', DateTime),
  read_at: about('When the caller marked it as read, or null.', Nullable(DateTime), null),
})
export type Notification = Static<typeof Notification>

export const NotificationList = listOf(Notification)
export type NotificationList = Static<typeof NotificationList>
