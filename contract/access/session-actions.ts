import type { Action } from './action.ts'
import { roomManagers, roomPeople, sessionOwners } from './role.ts'

const room = { subject: 'room', roles: roomPeople, refusal: 'hidden' } as const

/** Sessions: files that stay between runs. Sandbox-scope keys have none; a door has its own. */
export const sessionActions = {
  'session.create': { ...room, does: 'Create a session in a room', key: 'door' },
  'session.list': { ...room, does: 'List the own sessions in a room', key: 'door' },
  'session.manage': {
    does: 'List the sessions of everybody in a room, without their files, and delete one',
    subject: 'room',
    roles: roomManagers,
    key: 403,
    refusal: 'hidden',
  },
  'session.use': {
    does: 'Read, change and delete a session and its files, and give it to runs',
    subject: 'session',
    roles: sessionOwners,
    key: 'door',
    refusal: 'hidden',
  },
} as const satisfies Record<string, Action>
