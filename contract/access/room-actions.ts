import type { Action } from './action.ts'
import { roomManagers, roomPeople } from './role.ts'

const managed = { subject: 'room', roles: roomManagers, refusal: 'hidden' } as const

/** Actions on a chatroom. */
export const roomActions = {
  'menu.read': {
    does: 'Read what can be run in a room',
    subject: 'room',
    roles: roomPeople,
    key: 'allowed',
    refusal: 'hidden',
  },
  'granted_job.manage': {
    ...managed,
    does: 'List, enable and disable the tasks that are shared with a room',
    key: 405,
  },
  'binding.manage': { ...managed, does: 'Create, read, move and revoke bindings by their ids', key: 403 },
  'door.manage': {
    ...managed,
    does: 'Create, list and remove doors: addresses for the code tools of platforms',
    key: 403,
  },
  'room.list_people': {
    does: 'List the people of a room',
    subject: 'room',
    roles: roomPeople,
    key: 403,
    refusal: 'hidden',
  },
  'room.favorite': {
    does: 'Mark a room as a favourite, or no more',
    subject: 'room',
    roles: roomPeople,
    key: 403,
    refusal: 'hidden',
  },
  'room.set_jobs': {
    ...managed,
    does: 'Set the jobs that the agent of a room loads',
    key: 403,
    refusal: 'role_too_low',
    absent: 'role_too_low',
  },
} as const satisfies Record<string, Action>
