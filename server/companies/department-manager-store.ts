import type { Executing } from '../db/database.ts'

interface UserKey {
  companyId: string
  userId: string
}

/** Replaces the departments that the user manages. The caller has verified that they are in the company. */
export async function replaceManagedDepartments(
  db: Executing,
  { companyId, userId }: UserKey,
  departmentIds: readonly string[],
): Promise<void> {
  await db
    .deleteFrom('department_managers')
    .where('company_id', '=', companyId)
    .where('user_id', '=', userId)
    .execute()
  if (departmentIds.length === 0) return
  await db
    .insertInto('department_managers')
    .values(departmentIds.map((department_id) => ({ department_id, user_id: userId, company_id: companyId })))
    .execute()
}
