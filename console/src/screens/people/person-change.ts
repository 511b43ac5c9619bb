import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { User, UserUpdateRequest } from '@sandbox-jobs/contract/resources/companies/user.ts'

/** A role as it is chosen, with departments that only a manager of departments has. */
export interface RoleChoice {
  role: number
  managed: string[]
}

/** The departments of a choice, as requests have them. */
export const managedOf = ({ role, managed }: RoleChoice): string[] =>
  role === roles.department_manager ? managed : []

type Changed = Pick<User, 'display_name' | 'role' | 'managed_department_ids'>

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((each) => others.includes(each))

/** The fields of a person that a form changes; undefined if there is none. */
export function changeOf(before: Changed, name: string, choice: RoleChoice): UserUpdateRequest | undefined {
  const managed = managedOf(choice)
  const change = {
    ...(name !== before.display_name && { display_name: name }),
    ...(choice.role !== before.role && { role: choice.role }),
    ...(!isSame(managed, before.managed_department_ids) && { managed_department_ids: managed }),
  }
  return Object.keys(change).length > 0 ? change : undefined
}
