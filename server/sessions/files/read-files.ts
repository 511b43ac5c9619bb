import { chatroomPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import type { SessionFile, SessionFileList } from '@sandbox-jobs/contract/resources/sessions/session-file.ts'
import { unknownTime } from '../../../reader/formats/file-time.ts'
import { downloaderOf, type Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { PageRequest } from '../../base/page.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { SerialByKey } from '../../fairness/serial-by-key.ts'
import type { Download, DownloadRequest } from '../../storage/downloads/downloads.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import { requireSession, type SessionAddress } from '../catalogue/session-access.ts'
import type { SessionRow } from '../catalogue/session-store.ts'
import type { SessionServices } from '../session-services.ts'
import { packKey } from '../trees/pack-store.ts'
import { entriesBelow, executableBit, type Tree, type TreeEntry, type TreeFile } from '../trees/tree.ts'
import { findTree } from '../trees/tree-store.ts'
import { decodeTree } from '../trees/tree-text.ts'

interface ListQuery extends PageRequest {
  path?: string | undefined
  depth?: 'one' | 'all' | undefined
}

/** The entries of a folder of a session, by path. Throws `not_found`, also for a path that is no folder. */
export async function listSessionFiles(
  deps: SessionServices,
  principal: Principal,
  { query, ...address }: SessionAddress & { query: ListQuery },
): Promise<SessionFileList> {
  const { session, tree } = await readTree(deps, principal, address)
  const list = `session-files:${session.id}:${query.path ?? ''}`
  const size = query.page_size ?? chatroomPageSizeDefault
  const [after] = deps.pages.read(list, query.page_token) ?? []
  const entries = entriesBelow(tree, query.path, query.depth ?? 'one')
  const from = typeof after === 'string' ? entries.findIndex(({ path }) => path > after) : 0
  const rows = from < 0 ? [] : entries.slice(from, from + size + 1)
  return deps.pages.page(list, rows, size, { item: renderEntry, cursor: ({ path }) => [path] })
}

/** A file of a session. Throws `not_found`, also for a link or a folder, and what `Downloads.open` throws. */
export async function openSessionFile(
  deps: SessionServices,
  principal: Principal,
  { path, request, ...address }: SessionAddress & { path: string; request: DownloadRequest },
): Promise<Download> {
  const { session, tree } = await readTree(deps, principal, address)
  const entry = tree.get(path)
  if (entry?.kind !== 'file') throw notFound()
  return deps.downloads.open(partOf(session, entry), downloaderOf(principal), request)
}

/** The first bytes of a file, at most `maxBytes`, and its size. Throws `not_found`, `downloads_busy` and `storage_unavailable`. */
export async function readFirstBytes(
  deps: SessionServices,
  principal: Principal,
  {
    path,
    maxBytes,
    signal,
    ...address
  }: SessionAddress & { path: string; maxBytes: number; signal: AbortSignal },
): Promise<{ bytes: Buffer; byteSize: number }> {
  const { session, tree } = await readTree(deps, principal, address)
  const entry = tree.get(path)
  if (entry?.kind !== 'file') throw notFound()
  const reader = { ...downloaderOf(principal), signal }
  const bytes = await deps.downloads.firstBytes(partOf(session, entry), maxBytes, reader)
  return { bytes, byteSize: entry.byteSize }
}

/** A company reads one tree at a time: it is megabytes of memory while it waits for the event loop. */
const serialTrees = new SerialByKey()

/** The session and its files. Throws `not_found`. */
export async function readTree(
  deps: SessionServices,
  principal: Principal,
  address: SessionAddress,
): Promise<{ session: SessionRow; tree: Tree }> {
  const { session } = await requireSession(deps, principal, address)
  const { company_id: companyId, tree_id } = session
  const release = await serialTrees.take(companyId)
  try {
    const content = await findTree(deps.db, companyId, tree_id)
    return { session, tree: await decodeTree(content, slicesOf(companyId)) }
  } finally {
    release()
  }
}

export const partOf = (
  { company_id }: SessionRow,
  { pack, offset, byteSize, digest, path, modifiedAt }: TreeFile,
): NamedPart => ({
  key: packKey(company_id, pack),
  start: offset,
  byteSize,
  digest,
  name: path,
  modifiedAt: modifiedAt === unknownTime ? undefined : new Date(modifiedAt * 1000),
})

export const renderEntry = (entry: TreeEntry): SessionFile => ({
  path: entry.path,
  kind: entry.kind,
  byte_size: entry.kind === 'file' ? entry.byteSize : 0,
  is_executable: entry.kind === 'file' && (entry.mode & executableBit) !== 0,
  digest: entry.kind === 'file' ? entry.digest : null,
  target: entry.kind === 'link' ? entry.target : null,
})
