import { readFolder, setFolder } from '../../sessions/catalogue/session-folders.ts'
import type { Tree } from '../../sessions/trees/tree.ts'
import { findSession, type Person } from './person.ts'
import { type FileDeps, treeOf } from './person-files.ts'

/** A conversation of a person, as the platform names it; undefined: the request names none. */
export interface PersonConversation {
  person: Person
  conversation: string | undefined
}

/** Where commands of the conversation start: a folder of the session, or undefined for the home directory. */
export async function workingFolder(
  deps: FileDeps,
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
  deps: FileDeps,
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
