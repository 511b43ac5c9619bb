import { sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'

/* Writes the tables `session_trees` and `session_tree_packs`. */

/**
 * The stored form of a tree; undefined for none. It comes in rows of a bounded size: the driver decodes a row in one go. The tree is
 * decompressed once: each part of a stored value would do it again.
 */
export async function findTree(
  db: Executing,
  companyId: string,
  treeId: string | null,
): Promise<Buffer | undefined> {
  if (treeId === null) return undefined
  const { rows } = await sql<{ part: Buffer }>`
    with tree as materialized (
      select content || ''::bytea as content from session_trees where id = ${treeId} and company_id = ${companyId})
    select substring(content from at for ${partBytes}) as part
    from tree, generate_series(1, octet_length(content), ${partBytes}) at order by at
  `.execute(db)
  if (rows.length === 0) throw new Error('a session points to no tree')
  return Buffer.concat(rows.map(({ part }) => part))
}

const partBytes = 64 * 1024

/** Stores a tree to which a session will point, and returns its id. */
export async function insertTree(
  trx: Trx,
  companyId: string,
  { content, packs }: { content: Buffer; packs: readonly string[] },
): Promise<string> {
  const id = newId('sessionTree')
  await trx
    .insertInto('session_trees')
    .values({ id, company_id: companyId, content, left_at: null })
    .execute()
  if (packs.length > 0)
    await trx
      .insertInto('session_tree_packs')
      .values(packs.map((pack_id) => ({ tree_id: id, pack_id, company_id: companyId })))
      .execute()
  return id
}

/** Deletes trees that a session has left and to which none points; of one company, or of all. Returns the number looked at. */
export async function deleteLeftTrees(
  trx: Trx,
  companyId: string | undefined,
  limit: number,
): Promise<number> {
  const whose = companyId === undefined ? sql`` : sql`and company_id = ${companyId}`
  const { rows } = await sql<{ id: string; is_used: boolean }>`${acrossCompanies('a sweep of all companies')}
    select id, exists (select from sessions s where s.tree_id = t.id and s.company_id = t.company_id) as is_used
    from session_trees t where left_at is not null ${whose}
    order by left_at limit ${limit} for update skip locked
  `.execute(trx)
  const idsOf = (isUsed: boolean) => rows.filter(({ is_used }) => is_used === isUsed).map(({ id }) => id)
  await sql`${acrossCompanies('a sweep of all companies')}
    update session_trees set left_at = null where id = any(${idsOf(true)}::text[])`.execute(trx)
  await sql`${acrossCompanies('a sweep of all companies')}
    delete from session_trees where id = any(${idsOf(false)}::text[])`.execute(trx)
  return rows.length
}
