import { type Selectable, sql } from 'kysely'
import type { Database, Executing } from '../../db/database.ts'
import type { BaseImagesTable } from '../../db/tables/environments.ts'
import { isDriven } from '../../work/executor-statement.ts'

/* The operator's base images: rows of the deployment, which every company may read. */

export type BaseImageRow = Omit<Selectable<BaseImagesTable>, 'executor'>

/** Far more than an operator makes. */
export const maxBaseImages = 1000

const columns = [
  'name',
  'digest',
  'preset',
  'debian',
  'languages',
  'packages',
  'byte_size',
  'made_at',
] as const
const byName = sql`name collate "C"`

export const listBaseImagesOf = (db: Executing, executor: string): Promise<BaseImageRow[]> =>
  db
    .selectFrom('base_images')
    .select(columns)
    .where('executor', '=', executor)
    .orderBy(byName)
    .limit(maxBaseImages)
    .execute()

/** Those on which any executor can build: all that a worker drives have one of this name. Each is shown as one executor has it. */
export const listBaseImages = (db: Executing): Promise<BaseImageRow[]> =>
  db
    .selectFrom('base_images')
    .distinctOn(byName)
    .select(columns)
    .where(
      sql<boolean>`not exists (
        select from executors where ${isDriven} and not exists (
          select from base_images own where own.executor = executors.id and own.name = base_images.name))`,
    )
    .orderBy(byName)
    .orderBy('executor')
    .limit(maxBaseImages)
    .execute()

export async function replaceBaseImages(db: Database, executor: string, rows: BaseImageRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('base_images').where('executor', '=', executor).execute()
    if (rows.length === 0) return
    const stored = rows.map((row) => ({ ...row, executor, languages: JSON.stringify(row.languages) }))
    await trx.insertInto('base_images').values(stored).execute()
  })
}
