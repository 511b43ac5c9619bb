import { Type } from 'typebox'
import { about } from '../about.ts'
import { liveEventsMaxSeconds, liveTopicsMax } from '../limits.ts'
import { LiveEvent } from '../resources/notifications/live-event.ts'
import { extensionPrefix } from './prefixes.ts'
import { eventStreamType, route } from './route.ts'

const id = '[A-Za-z0-9_.-]{1,36}'
const topic = `(me|room:\\*|room:${id}|run:${id}|build:${id})`
export const topicsPattern = `^${topic}(,${topic}){0,${liveTopicsMax - 1}}$`

/** Events around the caller, for user interfaces that are open. */
export const eventRoutes = {
  followEvents: route({
    action: 'event.follow',
    tag: 'Notifications',
    method: 'GET',
    path: `${extensionPrefix}/events`,
    summary: 'Follow what happens to runs, builds, menus and notifications of the caller, as an event stream',
    description:
      'The first event is `resync`: read whatever is on the screen after it. Then events come as things happen, at most ten times a second. Topics: `me` (notifications of the caller, and what waits for the caller), `room:ID` and `room:*` (runs and menu of a room, or of all rooms of the caller), `run:ID`, `build:ID`. A topic that the caller may not see has no events. Rights are read again every five seconds. A sign-in, a key or a person has one stream: a new one ends the former with `replaced`. It ends after an hour, or after `seconds`.',
    query: Type.Object({
      topics: about(
        `Up to ${liveTopicsMax} topics, separated by commas.`,
        Type.String({ maxLength: liveTopicsMax * 43, pattern: topicsPattern }),
        'me,room:*',
      ),
      seconds: about(
        'Seconds after which the stream ends; an hour if left out.',
        Type.Optional(Type.Integer({ minimum: 0, maximum: liveEventsMaxSeconds })),
        3600,
      ),
    }),
    events: LiveEvent,
    mediaType: eventStreamType,
    errors: ['watchers_busy'],
  }),
}
