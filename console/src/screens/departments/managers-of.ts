import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { User } from '@sandbox-jobs/contract/resources/companies/user.ts'

type Person = Pick<User, 'role' | 'managed_department_ids' | 'disabled_at'>

/** The people who manage a department by name. Managers of the company manage all. */
export const managersOf = <P extends Person>(departmentId: string, people: readonly P[]): P[] =>
  people.filter(({ managed_department_ids }) => managed_department_ids.includes(departmentId))

/** Those who can become its managers and keep whatever else they may do. */
export const possibleManagers = <P extends Person>(departmentId: string, people: readonly P[]): P[] =>
  people.filter(
    ({ role, managed_department_ids, disabled_at }) =>
      disabled_at === null &&
      (role === roles.member || role === roles.department_manager) &&
      !managed_department_ids.includes(departmentId),
  )
