import { type Selectable, sql } from 'kysely'
import type { Stretch } from '../access/directory/platform.ts'
import { newId } from '../base/ids.ts'
import type { Executing } from '../db/database.ts'
import type { DepartmentsTable } from '../db/tables/platform.ts'

export type DepartmentRow = Selectable<DepartmentsTable>

export const insertDepartment = (db: Executing, companyId: string, name: string): Promise<DepartmentRow> =>
  db
    .insertInto('departments')
    .values({ id: newId('department'), company_id: companyId, name })
    .returningAll()
    .executeTakeFirstOrThrow()

export const findDepartmentRow = (
  db: Executing,
  companyId: string,
  id: string,
): Promise<DepartmentRow | undefined> =>
  db
    .selectFrom('departments')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Departments are never retired, so the list of retired ones is empty. */
export const listDepartmentRows = async (db: Executing, stretch: Stretch): Promise<DepartmentRow[]> =>
  stretch.lifecycle === 'retired'
    ? []
    : db
        .selectFrom('departments')
        .selectAll()
        .where('company_id', '=', stretch.companyId)
        .where('id', '>', stretch.afterId)
        .orderBy('id')
        .limit(stretch.limit)
        .execute()

/** `managed` is the departments that the user manages, or the whole company. */
export function listOwnDepartmentRows(
  db: Executing,
  managed: 'company' | readonly string[],
  { companyId, afterId, limit }: Omit<Stretch, 'lifecycle'>,
): Promise<Pick<DepartmentRow, 'id' | 'name'>[]> {
  const query = db
    .selectFrom('departments')
    .select(['id', 'name'])
    .where('company_id', '=', companyId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
  return (
    managed === 'company' ? query : query.where('id', '=', sql<string>`any(${managed}::text[])`)
  ).execute()
}

export const allDepartmentRows = (db: Executing, companyId: string): Promise<DepartmentRow[]> =>
  db.selectFrom('departments').selectAll().where('company_id', '=', companyId).orderBy('name').execute()

export const renameDepartmentRow = (
  db: Executing,
  where: { companyId: string; id: string },
  name: string,
): Promise<DepartmentRow | undefined> =>
  db
    .updateTable('departments')
    .set({ name })
    .where('company_id', '=', where.companyId)
    .where('id', '=', where.id)
    .returningAll()
    .executeTakeFirst()

/** Number of `ids` that are departments of the company. */
export async function countDepartments(
  db: Executing,
  companyId: string,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0
  const row = await db
    .selectFrom('departments')
    .select((count) => count.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('id', 'in', ids)
    .executeTakeFirstOrThrow()
  return row.count
}
