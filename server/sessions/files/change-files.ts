import type { Session } from '@sandbox-jobs/contract/resources/sessions/session.ts'
import type { SessionFile } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { fileTimeOf } from '../../../reader/formats/file-time.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { requireStorageQuota } from '../../companies/storage/storage-quota.ts'
import type { Trx } from '../../db/database.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { requireSession, type SessionAddress } from '../catalogue/session-access.ts'
import { lockSession, pointToTree, type SessionRow } from '../catalogue/session-store.ts'
import { renderSession } from '../catalogue/sessions.ts'
import type { SessionServices } from '../session-services.ts'
import { removeUnused } from '../trees/remove-unused.ts'
import {
  byteSizeOf,
  packsOf,
  requirePath,
  requireWithin,
  type Tree,
  withFolder,
  withMoved,
  withoutEntry,
} from '../trees/tree.ts'
import { findTree, insertTree } from '../trees/tree-store.ts'
import { decodeTree, encodeTree } from '../trees/tree-text.ts'
import { renderEntry } from './read-files.ts'

/** Deletes an entry and all below it. Throws `not_found` and `session_in_use`; a full quota is no reason against it. */
export async function deleteSessionFile(
  deps: SessionServices,
  principal: Principal,
  { path, ...address }: SessionAddress & { path: string },
): Promise<Session> {
  await requireSession(deps, principal, address)
  const { session } = await changeFiles(deps, principal, address, (tree) => withoutEntry(tree, path))
  return renderSession(session)
}

/** Creates a folder and those above it. Throws `session_path_conflict` and what `changeFiles` throws. */
export async function createSessionFolder(
  deps: SessionServices,
  principal: Principal,
  { path, ...address }: SessionAddress & { path: string },
): Promise<SessionFile> {
  requirePath(path, ['body', 'path'])
  return entryAfter(deps, principal, { address, path }, (tree) =>
    withFolder(tree, path, fileTimeOf(deps.clock.now())),
  )
}

/** Moves an entry and all below it. Throws `not_found`, `session_path_conflict` and what `changeFiles` throws. */
export async function moveSessionFile(
  deps: SessionServices,
  principal: Principal,
  { from, to, ...address }: SessionAddress & { from: string; to: string },
): Promise<SessionFile> {
  requirePath(to, ['body', 'to'])
  return entryAfter(deps, principal, { address, path: to }, (tree) =>
    withMoved(tree, { from, to, at: fileTimeOf(deps.clock.now()) }, slicesOf(principal.companyId)),
  )
}

async function entryAfter(
  deps: SessionServices,
  principal: Principal,
  { address, path }: { address: SessionAddress; path: string },
  change: (tree: Tree) => Tree | Promise<Tree>,
): Promise<SessionFile> {
  await requireSession(deps, principal, address)
  const { tree } = await changeFiles(deps, principal, address, async (before, { trx }) => {
    await requireStorageQuota(trx, principal.companyId, 0)
    return change(before)
  })
  const entry = tree.get(path)
  if (!entry) throw new Error('a change left no entry')
  return renderEntry(entry)
}

/**
 * Replaces the tree of a session, in one transaction that locks it, so that a reader sees all of the change or nothing. The bytes of
 * a file and the turn may have taken minutes, in which the principal may have left the room, so that is read again. Throws
 * `not_found`, `session_in_use` while a run holds the session, `session_full`, and what `change` throws.
 */
export async function changeFiles(
  deps: SessionServices,
  principal: Principal,
  address: SessionAddress,
  change: (tree: Tree, at: { trx: Trx; session: SessionRow }) => Tree | Promise<Tree>,
): Promise<{ session: SessionRow; tree: Tree }> {
  const { companyId } = principal
  const release = await deps.changeTurns.take(companyId)
  try {
    const changed = await deps.db.transaction().execute(async (trx) => {
      const access = { db: trx, directory: deps.directory.within(trx) }
      const { owner } = await requireSession(access, await lockAuthority(trx, principal), address)
      const session = await lockSession(trx, owner, address.sessionId)
      if (!session) throw notFound()
      requireFree(session)
      const content = await findTree(trx, session.company_id, session.tree_id)
      const before = await decodeTree(content, slicesOf(companyId))
      const tree = await change(before, { trx, session })
      return { session: await writeTree(trx, session, { before, tree }), tree }
    })
    await removeUnused(deps, companyId)
    return changed
  } finally {
    release()
  }
}

/** Throws `session_in_use`: what a run leaves would replace the change. */
export function requireFree({ holder_run_id: run }: Pick<SessionRow, 'holder_run_id'>): void {
  if (run !== null) throw new CodedError('session_in_use')
}

/** Points a locked session from the tree of its files to a new one. Throws `session_full`. */
async function writeTree(
  trx: Trx,
  session: SessionRow,
  { before, tree }: { before: Tree; tree: Tree },
): Promise<SessionRow> {
  requireWithin(tree, { maxBytes: session.size_limit_bytes, before })
  const content = await encodeTree(tree, slicesOf(session.company_id))
  const id = await insertTree(trx, session.company_id, { content, packs: packsOf(tree) })
  return pointToTree(trx, session, { id, byteSize: byteSizeOf(tree), fileCount: tree.size })
}
