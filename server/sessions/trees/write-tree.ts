import type { Trx } from '../../db/database.ts'
import { pointToTree, type SessionRow } from '../catalogue/session-store.ts'
import { byteSizeOf, packsOf, requireWithin, type Tree } from './tree.ts'
import { insertTree } from './tree-store.ts'
import { encodeTree } from './tree-text.ts'

/** Points a locked session to a new tree of its files. Throws `session_full`. */
export async function writeTree(trx: Trx, session: SessionRow, tree: Tree): Promise<SessionRow> {
  requireWithin(tree, session.size_limit_bytes)
  const id = await insertTree(trx, session.company_id, { content: encodeTree(tree), packs: packsOf(tree) })
  return pointToTree(trx, session, { id, byteSize: byteSizeOf(tree), fileCount: tree.size })
}
