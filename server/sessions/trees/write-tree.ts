import type { Trx } from '../../db/database.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { pointToTree, type SessionRow } from '../catalogue/session-store.ts'
import { byteSizeOf, packsOf, requireWithin, type Tree } from './tree.ts'
import { insertTree } from './tree-store.ts'
import { encodeTree } from './tree-text.ts'

/** Points a locked session from the tree of its files to a new one. Throws `session_full`. */
export async function writeTree(
  trx: Trx,
  session: SessionRow,
  { before, tree }: { before: Tree; tree: Tree },
): Promise<SessionRow> {
  requireWithin(tree, { maxBytes: session.size_limit_bytes, before })
  const content = await encodeTree(tree, slicesOf(session.company_id))
  const id = await insertTree(trx, session.company_id, { content, packs: packsOf(tree) })
  return pointToTree(trx, session, { id, byteSize: byteSizeOf(tree), fileCount: tree.size })
}
