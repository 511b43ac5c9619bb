import { type RawBuilder, sql } from 'kysely'
import { newId } from '../../base/ids.ts'
import { byteSizeOf, packsOf } from '../trees/tree.ts'
import type { SavedSession } from './save-session.ts'

/**
 * CTEs of the statement that ends the run in `moved`: they store the tree and point the session to it, if that run holds it. So
 * the session has the files from before the run until the run has ended, and what the run left from then on.
 */
export function savedSessionCtes({ sessionId, tree, content, pack }: SavedSession): RawBuilder<unknown> {
  const treeId = newId('sessionTree')
  return sql`
    saved_tree as (
      insert into session_trees (id, company_id, content) select ${treeId}::text, company_id, ${content}::bytea from moved
    ), saved_packs as (
      insert into session_tree_packs (tree_id, pack_id, company_id)
      select ${treeId}::text, pack.id, moved.company_id from moved cross join unnest(${packsOf(tree)}::text[]) as pack (id)
    ), settled_pack as (
      update session_packs set byte_size = ${pack?.byteSize ?? 0}::bigint, held_until = null from moved
      where session_packs.id = ${pack?.id ?? ''} and session_packs.company_id = moved.company_id
    ), saved_session as (
      update sessions set tree_id = ${treeId}::text, byte_size = ${byteSizeOf(tree)}::bigint,
        file_count = ${tree.size}::int, revision = revision + 1
      from moved
      where sessions.id = ${sessionId} and sessions.company_id = moved.company_id and sessions.holder_run_id = moved.id
    )`
}
