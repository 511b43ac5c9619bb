import { liveTopicsMax } from '@sandbox-jobs/contract/limits.ts'
import type { CompanyEvent } from './pending-events.ts'

/** The subjects of one stream of events. */
export interface EventTopics {
  ownNotifications: boolean
  allRooms: boolean
  roomIds: ReadonlySet<string>
  runIds: ReadonlySet<string>
  buildIds: ReadonlySet<string>
}

/** Topics in the form that the route has checked. */
export function readTopics(text: string): EventTopics {
  const topics = text.split(',').slice(0, liveTopicsMax)
  const idsOf = (prefix: string) =>
    new Set(topics.filter((topic) => topic.startsWith(prefix)).map((topic) => topic.slice(prefix.length)))
  return {
    ownNotifications: topics.includes('me'),
    allRooms: topics.includes('room:*'),
    roomIds: idsOf('room:'),
    runIds: idsOf('run:'),
    buildIds: idsOf('build:'),
  }
}

/** Whether an event is about a topic of the stream of this person. */
export function includes(topics: EventTopics, userId: string, about: CompanyEvent): boolean {
  const { event, roomId } = about
  switch (event.kind) {
    case 'notification':
    case 'inbox':
      return topics.ownNotifications && (about.userId ?? userId) === userId
    case 'build':
      return topics.buildIds.has(event.id)
    case 'run':
      return topics.runIds.has(event.id) || includesRoom(topics, roomId)
    case 'menu':
      return includesRoom(topics, roomId)
    case 'resync':
    case 'service':
    case 'replaced':
      return false
  }
}

/** Undefined: some room. */
const includesRoom = ({ allRooms, roomIds }: EventTopics, roomId: string | undefined): boolean =>
  allRooms || (roomId === undefined ? roomIds.size > 0 : roomIds.has(roomId))
