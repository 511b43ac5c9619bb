import { posix } from 'node:path'
import { downloaderOf, type Principal } from '../../access/principal.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { openStoredZip, type StoredZip } from '../../storage/downloads/stored-zip.ts'
import type { NamedPart } from '../../storage/downloads/verified-objects.ts'
import type { SessionAddress } from '../catalogue/session-access.ts'
import type { SessionRow } from '../catalogue/session-store.ts'
import type { SessionServices } from '../session-services.ts'
import { entriesBelow, isWithin, type Tree, type TreeEntry, type TreeFile } from '../trees/tree.ts'
import { partOf, readTree } from './read-files.ts'

interface SessionZip extends StoredZip {
  /** Name of the session's own zip. */
  name: string
}

/** A file and its name in the zip. */
type Zipped = [file: TreeFile, name: string]

/** The files of a session or of one folder as a zip that is made while it is read. Throws `not_found` and what `openStoredZip` throws. */
export async function openSessionZip(
  deps: SessionServices,
  principal: Principal,
  { path, signal, ...address }: SessionAddress & { path: string | undefined; signal: AbortSignal },
): Promise<SessionZip> {
  const { session, tree } = await readTree(deps, principal, address)
  const start = path === undefined ? 0 : path.length + 1
  return zipped(deps, principal, { session, signal, files: filesOf(entriesBelow(tree, path, 'all'), start) })
}

/**
 * The same of several files and folders, each under its own name and each once: not again what is below another one. An undefined
 * path is the whole session.
 */
export async function openZipOfPaths(
  deps: SessionServices,
  principal: Principal,
  {
    paths,
    signal,
    ...address
  }: SessionAddress & { paths: readonly (string | undefined)[]; signal: AbortSignal },
): Promise<SessionZip> {
  const { session, tree } = await readTree(deps, principal, address)
  const slice = slicesOf(session.company_id)
  const files: Zipped[][] = []
  for (const path of outermost(paths)) {
    if (slice.isOver) await slice.next()
    files.push(namedFiles(tree, path))
  }
  return zipped(deps, principal, { session, signal, files: files.flat() })
}

function outermost(paths: readonly (string | undefined)[]): (string | undefined)[] {
  if (paths.includes(undefined)) return [undefined]
  const others = [...new Set(paths)].filter((path) => path !== undefined)
  return others.filter((path) => !others.some((other) => other !== path && isWithin(path, other)))
}

function namedFiles(tree: Tree, path: string | undefined): Zipped[] {
  if (path === undefined) return filesOf([...tree.values()], 0)
  const parent = posix.dirname(path)
  const entry = tree.get(path)
  const entries = entry?.kind === 'folder' ? entriesBelow(tree, path, 'all') : entry ? [entry] : []
  return filesOf(entries, parent === '.' ? 0 : parent.length + 1)
}

/** `start`: so many characters of a path are no part of the name. */
const filesOf = (entries: readonly TreeEntry[], start: number): Zipped[] =>
  entries.flatMap((entry): Zipped[] => (entry.kind === 'file' ? [[entry, entry.path.slice(start)]] : []))

async function zipped(
  { downloads }: SessionServices,
  principal: Principal,
  { session, files, signal }: { session: SessionRow; files: readonly Zipped[]; signal: AbortSignal },
): Promise<SessionZip> {
  if (files.length === 0) throw notFound()
  const slice = slicesOf(session.company_id)
  const parts: NamedPart[] = []
  for (const [file, name] of files) {
    if (slice.isOver) await slice.next()
    parts.push({ ...partOf(session, file), name })
  }
  const reader = { ...downloaderOf(principal), signal }
  const zip = await openStoredZip(downloads, parts, { at: session.last_used_at, reader })
  return { ...zip, name: `${session.id}.zip` }
}
