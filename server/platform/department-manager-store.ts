import type { Executing } from '../db/database.ts'

interface UserKey {
  companyId: string
  userId: string
}

/** Makes `departmentIds` the departments the user is named for; the caller has seen that they are the company's. */
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
