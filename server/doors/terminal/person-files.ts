import type { Readable } from 'node:stream'
import { notFound } from '../../base/errors/coded-error.ts'
import type { SessionAddress } from '../../sessions/catalogue/session-access.ts'
import { readFolder, setFolder } from '../../sessions/catalogue/session-folders.ts'
import { createSessionFolder, deleteSessionFile, moveSessionFile } from '../../sessions/files/change-files.ts'
import { openSessionFile, readFirstBytes, readTree } from '../../sessions/files/read-files.ts'
import { writeSessionFile } from '../../sessions/files/write-file.ts'
import { openZipOfPaths } from '../../sessions/files/zip-files.ts'
import type { SessionServices } from '../../sessions/session-services.ts'
import { emptyTree, type Tree } from '../../sessions/trees/tree.ts'
import type { DownloadRequest } from '../../storage/downloads/downloads.ts'
import { ensureSession, findSession, type Person } from './person.ts'

/* The files of a person: those of their session. A person without one has no files; a write creates it. */

const addressOf = ({ open }: Person, sessionId: string): SessionAddress => ({
  chatroomId: open.door.chatroom_id,
  sessionId,
})

/** Throws `not_found` for a person who has no files yet. */
async function requireAddress(deps: SessionServices, person: Person): Promise<SessionAddress> {
  const session = await findSession(deps, person)
  if (!session) throw notFound()
  return addressOf(person, session.id)
}

const ensureAddress = async (deps: SessionServices, person: Person): Promise<SessionAddress> =>
  addressOf(person, (await ensureSession(deps, person)).id)

export async function treeOf(deps: SessionServices, person: Person): Promise<Tree> {
  const session = await findSession(deps, person)
  if (!session) return emptyTree
  return (await readTree(deps, person.open.reader, addressOf(person, session.id))).tree
}

/** Throws `not_found` and what a download throws. */
export const firstBytesOf = async (
  deps: SessionServices,
  person: Person,
  of: { path: string; maxBytes: number; signal: AbortSignal },
): Promise<{ bytes: Buffer; byteSize: number }> =>
  readFirstBytes(deps, person.open.reader, { ...(await requireAddress(deps, person)), ...of })

export const openFile = async (
  deps: SessionServices,
  person: Person,
  of: { path: string; request: DownloadRequest },
) => openSessionFile(deps, person.open.reader, { ...(await requireAddress(deps, person)), ...of })

export const openZip = async (
  deps: SessionServices,
  person: Person,
  of: { paths: readonly (string | undefined)[]; signal: AbortSignal },
) => openZipOfPaths(deps, person.open.reader, { ...(await requireAddress(deps, person)), ...of })

export const writeFile = async (
  deps: SessionServices,
  person: Person,
  of: { path: string; contentLength: number | undefined; body: Readable },
) => writeSessionFile(deps, person.open.reader, { ...(await ensureAddress(deps, person)), ...of })

export const createFolder = async (deps: SessionServices, person: Person, path: string) =>
  createSessionFolder(deps, person.open.reader, { ...(await ensureAddress(deps, person)), path })

export const moveFile = async (deps: SessionServices, person: Person, of: { from: string; to: string }) =>
  moveSessionFile(deps, person.open.reader, { ...(await requireAddress(deps, person)), ...of })

export const deleteFile = async (deps: SessionServices, person: Person, path: string) =>
  deleteSessionFile(deps, person.open.reader, { ...(await requireAddress(deps, person)), path })

/** A conversation of a person, as the platform names it; undefined: the request names none. */
interface PersonConversation {
  person: Person
  conversation: string | undefined
}

/** Where commands of the conversation start: a folder of the session, or undefined for the home directory. */
export async function workingFolder(
  deps: SessionServices,
  { person, conversation }: PersonConversation,
): Promise<string | undefined> {
  const session = conversation === undefined ? undefined : await findSession(deps, person)
  if (!session || conversation === undefined) return undefined
  const key = { companyId: session.company_id, sessionId: session.id, conversation }
  const folder = await readFolder(deps.db, key)
  if (folder === undefined) return undefined
  return isFolder(await treeOf(deps, person), folder) ? folder : undefined
}

/** False where there is no such folder. Throws `storage_quota_exceeded`. */
export async function setWorkingFolder(
  deps: SessionServices,
  { person, conversation }: PersonConversation,
  folder: string | undefined,
): Promise<boolean> {
  if (folder !== undefined && !isFolder(await treeOf(deps, person), folder)) return false
  const session = await findSession(deps, person)
  if (session && conversation !== undefined)
    await setFolder(deps.db, { companyId: session.company_id, sessionId: session.id, conversation }, folder)
  return true
}

const isFolder = (tree: Tree, path: string): boolean => tree.get(path)?.kind === 'folder'
