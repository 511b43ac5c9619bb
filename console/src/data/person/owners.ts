import type { OwnAccount } from '@sandbox-jobs/contract/resources/access/own-account.ts'
import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useQuery } from '@tanstack/react-query'
import { apiAll } from '../api/queries.ts'
import { me } from './me.ts'

/** The owner of a task or an environment. */
export interface Owner {
  owner_scope: string
  owner_id: string
}

/** Whether the person manages what the owner has, as far as the page knows; the service decides. */
export const managesOwner = (
  { role, managed_department_ids }: Pick<OwnAccount, 'role' | 'managed_department_ids'>,
  { owner_scope, owner_id }: Owner,
): boolean =>
  role >= roles.company_manager || (owner_scope === 'department' && managed_department_ids.includes(owner_id))

/** Undefined until it is known. */
export function useManages(owner: Owner | undefined): boolean | undefined {
  const { data: account } = useQuery(me)
  return owner && account && managesOwner(account, owner)
}

/** The departments that the person manages, with their names. */
export const ownDepartments = apiAll(allRoutes.listOwnDepartments, {})

/** An owner as requests name it. */
export interface ChosenOwner {
  owner_scope: 'company' | 'department'
  owner_id: string
}

/** The owners that a person may give something new to, with their names: the company first. */
export function ownersOf(
  { role, company_id, company_name }: Pick<OwnAccount, 'role' | 'company_id' | 'company_name'>,
  departments: readonly { id: string; name: string }[],
): { owner: ChosenOwner; name: string }[] {
  const company = { owner: { owner_scope: 'company', owner_id: company_id }, name: company_name } as const
  return [
    ...(role >= roles.company_manager ? [company] : []),
    ...departments.map(
      ({ id, name }) => ({ owner: { owner_scope: 'department', owner_id: id }, name }) as const,
    ),
  ]
}
