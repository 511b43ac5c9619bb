/** Roles of people in their company, with their numbers (contract part 3, D1). */
export const roles = {
  /** Reads the audit log of the company, and nothing else (extension). */
  auditor: 0,
  member: 1,
  department_manager: 2,
  company_manager: 3,
  company_administrator: 4,
} as const
export type RoleName = keyof typeof roles
