import type { Action } from './action.ts'
import { administrators, auditReaders, companyManagers, everybody, ownerManagers } from './role.ts'

const managed = { subject: 'company', roles: companyManagers, key: 403, refusal: 'role_too_low' } as const
const common = { subject: 'company', roles: everybody, key: 403, refusal: 'none' } as const
const open = { subject: 'open', roles: [], key: 'allowed', refusal: 'none' } as const

/** The deployment, the company, its directory and its settings. */
export const companyActions = {
  'deployment.read': { ...open, does: 'Read regions, profiles and public keys' },
  'login.create': { ...open, does: 'Log in with a password' },
  'sign_in.manage': {
    ...common,
    roles: [...everybody, 'auditor'],
    does: 'List and end the own sign-ins of browsers',
  },
  'account.manage': {
    ...common,
    roles: [...everybody, 'auditor'],
    does: 'Read the own account, set preferences, and change the own password',
  },
  'me.read': { ...common, roles: [...everybody, 'auditor'], does: 'Read what the caller is and may try' },
  'credential.read': {
    ...common,
    roles: [...everybody, 'auditor'],
    key: 'allowed',
    does: 'Read the API key of the request itself, and the name of its company',
  },
  'company.search': {
    ...common,
    does: 'Find rooms, tasks, environments, tables, people and runs that the caller may see',
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
  'room.list_overviews': {
    ...common,
    does: 'List the rooms that the caller is in or manages, with what goes on in them',
  },
  'name.read': { ...common, does: 'Read the names of people whom the caller meets in rooms' },
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
