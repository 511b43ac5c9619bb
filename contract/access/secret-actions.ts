import type { Action } from './action.ts'
import { companyManagers, ownerManagers, roomManagers } from './role.ts'

/** For managers of the consumer: of a room, of a department, of the company. */
const managed = { subject: 'consumer', roles: roomManagers, key: 403, refusal: 'hidden' } as const

/** Secrets and approvals. */
export const secretActions = {
  'secret.manage': { ...managed, does: 'Store, rotate, revoke and list the secrets of a consumer' },
  'secret.approve': { ...managed, does: 'Let a version of a task use secrets of a consumer' },
  'secret.approve_next': {
    ...managed,
    does: 'Let the next versions of a task that the caller manages use secrets of a consumer that they manage too',
    subject: 'owned',
    roles: ownerManagers,
  },
  'secret.manage_records': {
    does: 'Read and revoke secrets and approvals of any consumer, a deleted room too',
    subject: 'company',
    roles: companyManagers,
    key: 403,
    refusal: 'omitted',
  },
} as const satisfies Record<string, Action>
