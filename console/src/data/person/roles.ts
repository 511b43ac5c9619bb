import { type RoleName, roles } from '@sandbox-jobs/contract/resources/companies/role.ts'

export const roleNames = Object.keys(roles) as RoleName[]

/** Undefined for a role that this page does not know yet. */
export const roleNameOf = (role: number): RoleName | undefined =>
  roleNames.find((name) => roles[name] === role)

/** An auditor reads the audit log, and has no rooms, runs or inbox. */
export const hasRooms = (role: number | undefined): boolean => role !== undefined && role !== roles.auditor
