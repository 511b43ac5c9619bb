import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'

/** The name of a role for people. */
export const roleName = (role: number): string =>
  Object.entries(roles)
    .find(([, value]) => value === role)?.[0]
    .replaceAll('_', ' ') ?? String(role)
