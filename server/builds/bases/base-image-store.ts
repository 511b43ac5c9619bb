import { type Selectable, sql } from 'kysely'
import type { Database, Executing } from '../../db/database.ts'
import type { BaseImagesTable } from '../../db/tables/environments.ts'

/* The operator's base images: rows of the deployment, which every company may read. */

export type BaseImageRow = Selectable<BaseImagesTable>

/** Far more than an operator makes. */
export const maxBaseImages = 1000

/** In the order of the bytes of their names. */
export const listBaseImageRows = (db: Executing): Promise<BaseImageRow[]> =>
  db.selectFrom('base_images').selectAll().orderBy(sql`name collate "C"`).limit(maxBaseImages).execute()

export async function replaceBaseImages(db: Database, rows: BaseImageRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('base_images').execute()
    if (rows.length === 0) return
    const stored = rows.map((row) => ({ ...row, languages: JSON.stringify(row.languages) }))
    await trx.insertInto('base_images').values(stored).execute()
  })
}
