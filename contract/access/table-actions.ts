import type { Action } from './action.ts'
import { everybody, ownerManagers, roomPeople } from './role.ts'

const managed = { subject: 'owned', roles: ownerManagers, key: 403, refusal: 'hidden' } as const
const inRoom = { subject: 'room', roles: roomPeople, key: 403, refusal: 'hidden' } as const

/** Custom tables, their rows, commands and triggers. */
export const tableActions = {
  'table.list': {
    does: 'List the tables that the caller manages',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'table.create': { ...managed, does: 'Create a table for an owner', refusal: 'owner_scope_forbidden' },
  'table.read': { ...managed, does: 'Read a table, its rows, its commands and its triggers' },
  'table.change': {
    ...managed,
    does: 'Change or archive a table, its fields, its commands and its triggers',
  },
  'table.write_rows': { ...managed, does: 'Create, change and delete rows of a table' },
  'table.read_room_rows': { ...inRoom, does: 'Read the rows of a table that belong to a room' },
  'table.execute_command': { ...inRoom, does: 'List and execute the commands that a room may use' },
  /** The credential is that of the run; what it may do is in the output policy of its version. */
  'callback.write': {
    does: 'Write what the output policy of a run allows, with the credential of that run',
    subject: 'token',
    roles: [],
    key: 'allowed',
    refusal: 'none',
  },
} as const satisfies Record<string, Action>
