/** Roles of people in their company, as the contract numbers them. */
export const roles = {
  auditor: 0,
  member: 1,
  departmentManager: 2,
  companyManager: 3,
  administrator: 4,
} as const

export type RoleName = keyof typeof roles
export const roleNames = Object.keys(roles) as RoleName[]

/** Undefined for a role that this page does not know yet. */
export const roleNameOf = (role: number): RoleName | undefined =>
  roleNames.find((name) => roles[name] === role)

/** An auditor reads the audit log, and has no rooms, runs or inbox. */
export const hasRooms = (role: number | undefined): boolean => role !== undefined && role !== roles.auditor
