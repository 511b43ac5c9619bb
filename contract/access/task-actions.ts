import type { Action } from './action.ts'
import { borrowers, companyManagers, everybody, ownerManagers } from './role.ts'

const managed = { subject: 'owned', roles: ownerManagers, key: 403, refusal: 'hidden' } as const

/** Tasks, their versions and shares. */
export const taskActions = {
  'task.list': {
    does: 'List the tasks that the caller manages or borrows',
    subject: 'company',
    roles: everybody,
    key: 403,
    refusal: 'none',
  },
  'task.list_all': {
    does: 'List every task of the company',
    subject: 'company',
    roles: companyManagers,
    key: 403,
    refusal: 'omitted',
  },
  'task.read': {
    does: 'Read a task and its published versions, preview an input, see which managed rooms enabled it',
    subject: 'owned',
    roles: borrowers,
    key: 403,
    refusal: 'hidden',
  },
  'task.read_source': {
    ...managed,
    does: 'See drafts, scripts and output policy of a task, and all rooms that enabled it',
    refusal: 'omitted',
  },
  'task.create': { ...managed, does: 'Create a task for an owner', refusal: 'owner_scope_forbidden' },
  'task.change': { ...managed, does: 'Change or archive a task; write, publish and archive versions' },
  'task.upload_script': { ...managed, does: 'Upload a script for drafts of a task', key: 404 },
  'task.share': { ...managed, does: 'List, create and revoke shares of a task' },
  'task.read_history': {
    does: 'Read the runs of a task in all rooms',
    subject: 'company',
    roles: companyManagers,
    key: 403,
    refusal: 'role_too_low',
  },
} as const satisfies Record<string, Action>
