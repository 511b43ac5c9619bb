import {
  ensurePersonSession,
  type PersonSession,
  personSession,
} from '../../sessions/catalogue/person-sessions.ts'
import type { SessionServices } from '../../sessions/session-services.ts'
import type { OpenDoor } from '../catalogue/door-keys.ts'

/** A user of the platform, whose session has their files. */
export interface Person {
  open: OpenDoor
  /** As the platform names them, or `everybody`. */
  name: string
}

const namePattern = /^[\x21-\x7e]{1,128}$/
/** Requests that name nobody share one session. No name that a platform sends has a space. */
export const everybody = 'all users'

export const isPersonName = (text: string): boolean => namePattern.test(text)

/** Undefined where the person has done nothing yet. Throws `not_found`. */
export const findSession = (
  deps: SessionServices,
  { open, name }: Person,
): Promise<PersonSession | undefined> =>
  personSession(deps, open.reader, { chatroomId: open.door.chatroom_id, person: name })

/** The session of the person, created when they need one first. Throws `not_found` and `storage_quota_exceeded`. */
export const ensureSession = (
  deps: SessionServices,
  { open, name: person }: Person,
): Promise<PersonSession> =>
  ensurePersonSession(deps, open.reader, {
    chatroomId: open.door.chatroom_id,
    person,
    name: `Open Terminal: ${person}`,
  })
