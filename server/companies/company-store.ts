import { type Selectable, sql } from 'kysely'
import { newId } from '../base/ids.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { CompaniesTable } from '../db/tables/platform.ts'

export type CompanyRow = Selectable<CompaniesTable>

export const findCompany = (db: Executing, id: string): Promise<CompanyRow | undefined> =>
  db.selectFrom('companies').selectAll().where('id', '=', id).executeTakeFirst()

/** Companies by name. Names are unique. */
export const findCompaniesNamed = (db: Executing, names: readonly string[]): Promise<CompanyRow[]> =>
  db
    .selectFrom('companies')
    .selectAll()
    .where('name', 'in', names.length > 0 ? names : [''])
    .execute()

export const insertCompany = (db: Executing, name: string): Promise<CompanyRow> =>
  db
    .insertInto('companies')
    .values({ id: newId('company'), name })
    .returningAll()
    .executeTakeFirstOrThrow()

/** Serializes applies of company files until the transaction ends. */
export async function lockDirectory(trx: Trx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('sandbox-jobs directory', 0))`.execute(trx)
}
