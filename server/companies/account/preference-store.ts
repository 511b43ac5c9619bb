import type { Selectable } from 'kysely'
import type { Executing } from '../../db/database.ts'
import type { ConsolePreferencesTable } from '../../db/tables/platform.ts'

/* Writes the table `console_preferences`. */

export type PreferenceRow = Selectable<ConsolePreferencesTable>

export const findPreferences = (
  db: Executing,
  of: { companyId: string; userId: string },
): Promise<PreferenceRow | undefined> =>
  db
    .selectFrom('console_preferences')
    .selectAll()
    .where('company_id', '=', of.companyId)
    .where('user_id', '=', of.userId)
    .executeTakeFirst()

export async function putPreferences(db: Executing, row: PreferenceRow): Promise<void> {
  const { user_id: _user, company_id, ...set } = row
  await db
    .insertInto('console_preferences')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet(set).where('console_preferences.company_id', '=', company_id),
    )
    .execute()
}
