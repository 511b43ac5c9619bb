import { type Selectable, sql } from 'kysely'
import { newId } from '../base/ids.ts'
import { acrossCompanies } from '../db/across-companies.ts'
import type { Executing, Trx } from '../db/database.ts'
import type { CompaniesTable } from '../db/tables/platform.ts'

export type CompanyRow = Selectable<CompaniesTable>
export type NamedCompany = Pick<CompanyRow, 'id' | 'name'>

const byOperator = acrossCompanies('an operator names a company')

export const findCompany = (db: Executing, id: string): Promise<CompanyRow | undefined> =>
  db.selectFrom('companies').selectAll().where('id', '=', id).executeTakeFirst()

/** Companies by name. Names are unique. */
export const findCompaniesNamed = (db: Executing, names: readonly string[]): Promise<CompanyRow[]> =>
  db
    .selectFrom('companies')
    .selectAll()
    .where('name', 'in', names.length > 0 ? names : [''])
    .execute()

/** The company with this id, else the one of this name. */
export async function findCompanyOf(db: Executing, idOrName: string): Promise<NamedCompany | undefined> {
  const { rows } = await sql<NamedCompany>`${byOperator}
    select id, name from companies where id = ${idOrName} or name = ${idOrName}
    order by id = ${idOrName} desc limit 1`.execute(db)
  return rows[0]
}

/** Companies whose names contain a text in any case, in the order of their names. */
export async function searchCompanies(db: Executing, text: string, limit: number): Promise<NamedCompany[]> {
  const { rows } = await sql<NamedCompany>`${byOperator}
    select id, name from companies where position(lower(${text}) in lower(name)) > 0
    order by lower(name), id limit ${limit}`.execute(db)
  return rows
}

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
