import { roles } from '@sandbox-jobs/contract/resources/companies/role.ts'
import type { Executing } from '../db/database.ts'

/** Managers of one owner that are notified, at most. */
const managersMax = 200

/** Those of the users who exist and are not disabled. */
export async function listActiveUsers(
  db: Executing,
  companyIds: readonly string[],
  userIds: readonly string[],
): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', userIds)
    .where('company_id', 'in', companyIds)
    .where('disabled_at', 'is', null)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** The managers of things that the company or the department owns (contract part 3, D5), the managers of the department first. */
export async function listOwnerManagers(
  db: Executing,
  owner: { companyId: string; scope: string; id: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('users as u')
    .select('u.id')
    .where('u.company_id', '=', owner.companyId)
    .where('u.disabled_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb('u.role', '>=', roles.company_manager),
        eb.and([
          eb.lit(owner.scope === 'department'),
          eb('u.role', '=', roles.department_manager),
          eb.exists(
            eb
              .selectFrom('department_managers as m')
              .select('m.user_id')
              .whereRef('m.user_id', '=', 'u.id')
              .whereRef('m.company_id', '=', 'u.company_id')
              .where('m.department_id', '=', owner.id),
          ),
        ]),
      ]),
    )
    .orderBy('u.role')
    .orderBy('u.id')
    .limit(managersMax)
    .execute()
  return rows.map(({ id }) => id)
}
