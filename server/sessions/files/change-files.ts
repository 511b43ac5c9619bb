import type { Session } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import type { SessionFile } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Turns } from '../../base/sharing/turns.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { requireSession, type SessionAccess, type SessionAddress } from '../catalogue/session-access.ts'
import { lockSession, type SessionOwner, type SessionRow } from '../catalogue/session-store.ts'
import { renderSession } from '../catalogue/sessions.ts'
import { removeUnused, type TreeDeps } from '../trees/remove-unused.ts'
import { requirePath, type Tree, withFolder, withMoved, withoutEntry } from '../trees/tree.ts'
import { findTree } from '../trees/tree-store.ts'
import { decodeTree } from '../trees/tree-text.ts'
import { writeTree } from '../trees/write-tree.ts'
import { renderEntry } from './render-entry.ts'

export type ChangeDeps = SessionAccess &
  TreeDeps & {
    /** A change writes the whole tree, so a company makes one at a time. */
    changeTurns: Turns
  }

/** Deletes an entry and all below it. Throws `not_found` and `session_in_use`; a full quota is no reason against it. */
export async function deleteSessionFile(
  deps: ChangeDeps,
  principal: Principal,
  { path, ...address }: SessionAddress & { path: string },
): Promise<Session> {
  const { owner } = await requireSession(deps, principal, address)
  const { session } = await changeFiles(deps, owner, address.sessionId, (tree) => withoutEntry(tree, path))
  return renderSession(session)
}

/** Creates a folder and those above it. Throws `session_path_conflict` and what `changeFiles` throws. */
export async function createSessionFolder(
  deps: ChangeDeps,
  principal: Principal,
  { path, ...address }: SessionAddress & { path: string },
): Promise<SessionFile> {
  requirePath(path, ['body', 'path'])
  return entryAfter(deps, principal, { address, path }, (tree) => withFolder(tree, path))
}

/** Moves an entry and all below it. Throws `not_found`, `session_path_conflict` and what `changeFiles` throws. */
export async function moveSessionFile(
  deps: ChangeDeps,
  principal: Principal,
  { from, to, ...address }: SessionAddress & { from: string; to: string },
): Promise<SessionFile> {
  requirePath(to, ['body', 'to'])
  return entryAfter(deps, principal, { address, path: to }, (tree) => withMoved(tree, { from, to }))
}

async function entryAfter(
  deps: ChangeDeps,
  principal: Principal,
  { address, path }: { address: SessionAddress; path: string },
  change: (tree: Tree) => Tree,
): Promise<SessionFile> {
  const { owner } = await requireSession(deps, principal, address)
  const { tree } = await changeFiles(deps, owner, address.sessionId, async (before, { trx }) => {
    await requireStorageQuota(trx, owner.companyId, 0)
    return change(before)
  })
  const entry = tree.get(path)
  if (!entry) throw new Error('a change left no entry')
  return renderEntry(entry)
}

/**
 * Replaces the tree of a session, in one transaction that locks it, so that a reader sees all of the change or nothing. Throws
 * `not_found`, `session_in_use` while a run holds the session, `session_full`, and what `change` throws.
 */
export async function changeFiles(
  deps: ChangeDeps,
  owner: SessionOwner,
  sessionId: string,
  change: (tree: Tree, at: { trx: Trx; session: SessionRow }) => Tree | Promise<Tree>,
): Promise<{ session: SessionRow; tree: Tree }> {
  const endTurn = await deps.changeTurns.take(owner.companyId)
  try {
    const changed = await deps.db.transaction().execute(async (trx) => {
      const session = await lockSession(trx, owner, sessionId)
      if (!session) throw notFound()
      requireFree(session)
      const before = decodeTree(await findTree(trx, session.company_id, session.tree_id))
      const tree = await change(before, { trx, session })
      return { session: await writeTree(trx, session, tree), tree }
    })
    await removeUnused(deps, owner.companyId)
    return changed
  } finally {
    endTurn()
  }
}

/** Throws `session_in_use`: what a run leaves would replace the change. */
export function requireFree({ holder_run_id: run }: Pick<SessionRow, 'holder_run_id'>): void {
  if (run !== null) throw new CodedError('session_in_use')
}
