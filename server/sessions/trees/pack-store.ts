import { sql } from 'kysely'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { isDue } from '../../work/removal.ts'

/* Writes the table `session_packs`. */

export interface Pack {
  id: string
  company_id: string
  storage_key: string
}

/** The object of a pack. */
export const packKey = (companyId: string, packId: string): string => `sessions/${companyId}/${packId}`

/** A pack that is being written, with the bytes that are reserved for it. A repetition of the same work writes the same pack. */
export const insertPack = (
  db: Executing,
  {
    id,
    companyId,
    bytes,
    heldSeconds,
  }: { id: string; companyId: string; bytes: number; heldSeconds: number },
): Promise<unknown> =>
  sql`
    insert into session_packs (id, company_id, storage_key, byte_size, held_until)
    values (${id}, ${companyId}, ${packKey(companyId, id)}, ${bytes}, now() + make_interval(secs => ${heldSeconds}))
    on conflict (id) do update set byte_size = excluded.byte_size, held_until = excluded.held_until
      where session_packs.company_id = excluded.company_id and session_packs.held_until is not null
  `.execute(db)

/** Bytes of these packs together, used or not. */
export async function sumPackBytes(
  db: Executing,
  companyId: string,
  ids: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(byte_size), 0)::bigint as bytes from session_packs
    where company_id = ${companyId} and id = any(${ids}::text[])`.execute(db)
  return rows[0]?.bytes ?? 0
}

/** Packs of the company that are being written. */
export async function countWrittenPacks(db: Executing, companyId: string): Promise<number> {
  const { count } = await db
    .selectFrom('session_packs')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('company_id', '=', companyId)
    .where('held_until', '>', sql<Date>`now()`)
    .executeTakeFirstOrThrow()
  return count
}

/** Call it in the transaction in which a tree names the pack. False: its bytes may be gone. */
export async function settlePack(
  trx: Trx,
  { id, companyId, byteSize }: { id: string; companyId: string; byteSize: number },
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('session_packs')
    .set({ byte_size: byteSize, held_until: null })
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where('held_until', 'is not', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Ends the time for which an unfinished pack is held. */
export const giveUpPack = (db: Executing, companyId: string, id: string): Promise<unknown> =>
  db
    .updateTable('session_packs')
    .set({ held_until: sql<Date>`now()` })
    .where('id', '=', id)
    .where('company_id', '=', companyId)
    .where('held_until', 'is not', null)
    .execute()

const isNamed = sql<boolean>`exists (
  select from session_tree_packs named where named.pack_id = session_packs.id and named.company_id = session_packs.company_id)`

/** Packs whose time is over, locked; of one company, or of all. Those that a tree names are kept and not returned. */
export async function lockUnusedPacks(
  trx: Trx,
  companyId: string | undefined,
  { now, limit }: { now: Date; limit: number },
): Promise<Pack[]> {
  const whose = companyId === undefined ? sql`` : sql`and company_id = ${companyId}`
  const { rows } = await sql<Pack & { is_named: boolean }>`${acrossCompanies('a sweep of all companies')}
    select id, company_id, storage_key, ${isNamed} as is_named from session_packs
    where held_until <= now() ${whose} and ${isDue(sql`session_packs.id`, now)} order by held_until limit ${limit} for update skip locked
  `.execute(trx)
  const named = rows.filter(({ is_named }) => is_named).map(({ id }) => id)
  if (named.length > 0)
    await sql`${acrossCompanies('a sweep of all companies')}
      update session_packs set held_until = null where id = any(${named}::text[])`.execute(trx)
  return rows.filter(({ is_named }) => !is_named)
}

export const deletePack = (trx: Trx, { id, company_id }: Pack): Promise<unknown> =>
  trx.deleteFrom('session_packs').where('id', '=', id).where('company_id', '=', company_id).execute()
