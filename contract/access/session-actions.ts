import type { Action } from './action.ts'
import { roomManagers, roomPeople, sessionOwners } from './role.ts'

const room = { subject: 'room', roles: roomPeople, refusal: 'hidden' } as const

/** Sessions: files that stay between runs. */
export const sessionActions = {
  'session.create': { ...room, does: 'Create a session in a room', key: 'allowed' },
  'session.list': { ...room, does: 'List the own sessions in a room', key: 'own' },
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
    key: 'own',
    refusal: 'hidden',
  },
} as const satisfies Record<string, Action>
