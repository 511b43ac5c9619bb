import { Readable } from 'node:stream'
import { idKinds } from '@sandbox-jobs/contract/ids.ts'
import { sessionNamesMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { sha256Of } from '../../base/sha256.ts'
import { lockRoom } from '../../companies/storage/storage-reservations.ts'
import type { Database } from '../../db/database.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { openedLate } from '../../storage/opened-late.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { findHeldSession } from '../catalogue/session-store.ts'
import { insertPack, packKey, sumPackBytes } from '../trees/pack-store.ts'
import {
  emptyTree,
  filesByDigest,
  nameBytesOf,
  type Tree,
  type TreeEntry,
  type TreeFile,
  treeOf,
} from '../trees/tree.ts'
import { findTree } from '../trees/tree-store.ts'
import { decodeTree, encodeTree } from '../trees/tree-text.ts'
import { type BrokenRule, type LeftEntry, readLeftFolder } from './left-folder.ts'
import { newPackBytes } from './new-pack.ts'

/** The files that a run leaves in its session, stored except for the pointer to them. */
export interface SavedSession {
  sessionId: string
  tree: Tree
  content: Buffer
  /** The pack with what the run changed; undefined if it changed nothing. */
  pack: { id: string; byteSize: number } | undefined
}

/** Why the files that a run left are not kept. */
export type SessionRefusal = BrokenRule

export interface SaveDeps {
  db: Database
  storage: Pick<ObjectStorage, 'put' | 'opened'>
}

export interface LeftFolder {
  runId: string
  companyId: string
  /** Unique for the attempt of the run: a repetition writes the same object. */
  sandboxId: string
  /** Opens the collected folder from its start. */
  open: () => Promise<Readable>
}

/** Longer than the lease of a run may last after its end. */
const heldSeconds = 24 * 3600

/**
 * Stores what a run left in its session: bytes that the session does not have yet, as one pack. The session itself changes with
 * the statement that ends the run. Undefined for a run that holds no session or changed nothing. Throws the errors of the store
 * and the executor, so that the caller retries.
 */
export async function saveSession(
  deps: SaveDeps,
  left: LeftFolder,
): Promise<SavedSession | SessionRefusal | undefined> {
  const { companyId, sandboxId } = left
  const session = await findHeldSession(deps.db, { id: left.runId, companyId })
  if (!session) return undefined
  const stored = await findTree(deps.db, companyId, session.tree_id)
  const slice = slicesOf(companyId)
  const before = await decodeTree(stored, slice)
  // A run may leave what was there before it.
  const namesMaxBytes = Math.max(sessionNamesMaxBytes, nameBytesOf(before))
  const entries = await readLeftFolder(await left.open(), namesMaxBytes)
  if (!Array.isArray(entries)) return entries
  const known = filesByDigest(before)
  requireKnown(entries, known)
  const packId = `${idKinds.sessionPack}_${sha256Of(sandboxId).slice('sha256:'.length, -32)}`
  const { tree, wanted, packBytes } = assignPacks(
    entries,
    await reusable(deps.db, companyId, { entries, known }),
    packId,
  )
  const content = await encodeTree(tree, slice)
  if (content.equals(stored ?? (await encodeTree(emptyTree, slice)))) return undefined
  const saved = { sessionId: session.id, tree, content }
  if (wanted.size === 0) return { ...saved, pack: undefined }
  if (!(await holdPack(deps.db, { id: packId, companyId, bytes: packBytes })))
    return { rule: 'storage_quota', path: '' }
  const storedAt = (position: number) => known.get(digestOf(entries[position]))
  const folder = openedLate(left.open)
  const bytes = Readable.from(newPackBytes(folder, deps.storage, { companyId, wanted, storedAt }))
  const { byteSize } = await deps.storage.put(packKey(companyId, packId), bytes, {
    maxBytes: packBytes,
    isUnread: true,
  })
  if (byteSize !== packBytes) throw new Error('a collected folder has changed')
  return { ...saved, pack: { id: packId, byteSize: packBytes } }
}

/** The row counts the bytes from then on; false: the quota has no room for them. */
const holdPack = (
  db: Database,
  { id, companyId, bytes }: { id: string; companyId: string; bytes: number },
): Promise<boolean> =>
  db.transaction().execute(async (trx) => {
    const fits = await lockRoom(trx, companyId, bytes)
    if (fits) await insertPack(trx, { id, companyId, bytes, heldSeconds })
    return fits
  })

const digestOf = (entry: LeftEntry | undefined): string => (entry?.kind === 'file' ? entry.digest : '')

/** A folder is collected without contents that the session has, and without no other one. */
function requireKnown(entries: readonly LeftEntry[], known: ReadonlyMap<string, TreeFile>): void {
  for (const entry of entries) {
    if (entry.kind === 'file' && entry.isKnown && known.get(entry.digest)?.byteSize !== entry.byteSize)
      throw new Error('a collected folder has no bytes of a file that its session does not have')
  }
}

/** Packs that a tree may have before its files are stored again in one. */
const packsMax = 64
/** Unused bytes of packs that are not worth storing the used ones again. */
const unusedBytesMax = 1024 ** 2

/**
 * The stored files by digest whose bytes may stay where they are. None if their packs are many, or hold more unused bytes than
 * used ones: then all files are stored again, and the old packs go.
 */
async function reusable(
  db: Database,
  companyId: string,
  { entries, known }: { entries: readonly LeftEntry[]; known: ReadonlyMap<string, TreeFile> },
): Promise<Map<string, TreeFile>> {
  const used = new Map(
    entries.flatMap((entry) => {
      const file = entry.kind === 'file' ? known.get(entry.digest) : undefined
      return file ? [[file.digest, file] as const] : []
    }),
  )
  const packs = [...new Set([...used.values()].map(({ pack }) => pack))]
  const usedBytes = [...used.values()].reduce((sum, { byteSize }) => sum + byteSize, 0)
  const packBytes = packs.length === 0 ? 0 : await sumPackBytes(db, companyId, packs)
  const isWasteful = packs.length > packsMax || packBytes > 2 * usedBytes + unusedBytesMax
  return isWasteful ? new Map() : used
}

/** Places the files: bytes that are stored stay where they are, others go to a new pack, each once. */
function assignPacks(
  entries: readonly LeftEntry[],
  stored: Map<string, TreeFile>,
  packId: string,
): { tree: Tree; wanted: Set<number>; packBytes: number } {
  const placed = new Map<string, Pick<TreeFile, 'pack' | 'offset'>>(stored)
  const wanted = new Set<number>()
  let packBytes = 0
  const tree = treeOf(
    entries.map((entry, position): TreeEntry => {
      if (entry.kind !== 'file') return entry
      let at = placed.get(entry.digest)
      if (!at) {
        at = { pack: packId, offset: packBytes }
        placed.set(entry.digest, at)
        packBytes += entry.byteSize
        wanted.add(position)
      }
      const { isKnown: _, ...file } = entry
      return { ...file, pack: at.pack, offset: at.offset }
    }),
  )
  return { tree, wanted, packBytes }
}
