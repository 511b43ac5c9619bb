import {
  type CompanyLimits,
  type LimitChanges,
  operatorColumns,
} from '@sandbox-jobs/contract/operator/company-limits.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Executing, Trx } from '../../db/database.ts'
import type { CompanySettingsTable } from '../../db/tables/settings.ts'

export type SettingsRow = Selectable<CompanySettingsTable>

/** Writes the table `company_settings`. */
export const findSettings = (db: Executing, companyId: string): Promise<SettingsRow | undefined> =>
  db.selectFrom('company_settings').selectAll().where('company_id', '=', companyId).executeTakeFirst()

/** Keeps an existing row. Of concurrent requests, one creates the row. */
export const insertMissingSettings = (
  db: Executing,
  row: Insertable<CompanySettingsTable>,
): Promise<unknown> =>
  db
    .insertInto('company_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('company_id').doNothing())
    .execute()

export type WritableSettings = Pick<
  SettingsRow,
  'run_content_retention_days' | 'unreferenced_image_retention_days' | 'allowed_regions' | 'updated_at'
>

/** Replaces the tenant's settings and increments the version. Undefined if the current version is not `expected`. */
export const replaceSettings = (
  trx: Trx,
  key: { companyId: string; expected: number },
  set: WritableSettings,
): Promise<SettingsRow | undefined> =>
  trx
    .updateTable('company_settings')
    .set((eb) => ({ ...set, policy_version: eb('policy_version', '+', 1) }))
    .where('company_id', '=', key.companyId)
    // A caller may send a version that exceeds the range of the column.
    .where(sql<boolean>`policy_version = ${key.expected}::numeric`)
    .returningAll()
    .executeTakeFirst()

/** The columns that no tenant route writes. */
export type OperatorRow = Pick<SettingsRow, keyof CompanyLimits>

export const findOperatorColumns = (db: Executing, companyId: string): Promise<OperatorRow | undefined> =>
  db
    .selectFrom('company_settings')
    .select(operatorColumns)
    .where('company_id', '=', companyId)
    .executeTakeFirst()

/** Does not change the tenant's version, so a company manager can still replace the settings that they have read. */
export const setOperatorColumns = (trx: Trx, companyId: string, set: LimitChanges): Promise<OperatorRow> =>
  trx
    .updateTable('company_settings')
    .set(set)
    .where('company_id', '=', companyId)
    .returning(operatorColumns)
    .executeTakeFirstOrThrow()
