import type { Action } from './action.ts'
import { roomManagers, roomPeople } from './role.ts'

const ofRoom = { subject: 'room', key: 403, refusal: 'hidden' } as const

/** Runs at times of a calendar. */
export const scheduleActions = {
  'schedule.read': {
    ...ofRoom,
    roles: roomPeople,
    does: 'List and read the schedules of a room, their inputs and their ticks',
  },
  'schedule.manage': {
    ...ofRoom,
    roles: roomManagers,
    does: 'Create, change, pause and delete schedules, and see what one would cost',
  },
} as const satisfies Record<string, Action>
