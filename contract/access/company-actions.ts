import type { Action } from './action.ts'
import { administrators, auditReaders, companyManagers, everybody, ownerManagers } from './role.ts'

const managed = { subject: 'company', roles: companyManagers, key: 403, refusal: 'role_too_low' } as const
const common = { subject: 'company', roles: everybody, key: 403, refusal: 'none' } as const
const open = { subject: 'open', roles: [], key: 'allowed', refusal: 'none' } as const

/** The deployment, the company, its directory and its settings. */
export const companyActions = {
  'deployment.read': { ...open, does: 'Read regions, profiles and public keys' },
  'login.create': { ...open, does: 'Log in with a password' },
  'me.read': { ...common, roles: [...everybody, 'auditor'], does: 'Read what the caller is and may try' },
  'credential.read': {
    ...common,
    roles: [...everybody, 'auditor'],
    key: 'allowed',
    does: 'Read the API key of the request itself, and the name of its company',
  },
  'settings.manage': { ...managed, does: 'Read and change the settings of the company' },
  'storage.read': { ...managed, does: 'Read what the company keeps on disk' },
  'usage.report': { ...managed, does: 'Read what the company used and what it cost' },
  'audit.read': { ...managed, roles: auditReaders, does: 'Read the audit log of the company' },
  'directory.manage': {
    does: 'Manage departments, rooms, members, users and API keys',
    subject: 'company',
    roles: administrators,
    key: 403,
    refusal: 'insufficient_permissions',
  },
  'room.list': { ...common, key: 'allowed', does: 'List the rooms that the caller is in or manages' },
  'department.list': { ...common, does: 'List the departments that the caller manages, with their names' },
  'room.list_by_job': { ...common, does: 'List the rooms that have sandbox jobs switched on' },
  'room.list_department': {
    does: 'See rooms of a department that the caller has not joined',
    subject: 'owned',
    roles: ownerManagers,
    key: 403,
    refusal: 'omitted',
  },
} as const satisfies Record<string, Action>
