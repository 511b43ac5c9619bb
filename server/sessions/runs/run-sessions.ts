import type { Database } from '../../db/database.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeUnused, type TreeDeps } from '../trees/remove-unused.ts'
import type { Tree } from '../trees/tree.ts'
import { findTree } from '../trees/tree-store.ts'
import { decodeTree } from '../trees/tree-text.ts'
import {
  type LeftFolder,
  type SaveDeps,
  type SavedSession,
  type SessionRefusal,
  saveSession,
} from './save-session.ts'

/** What a worker does with the sessions of runs. */
export interface RunSessions {
  /** The files that a session has now. */
  files(companyId: string, treeId: string | null): Promise<Tree>
  /** `saveSession`. */
  save(left: LeftFolder, reserve: SaveDeps['reserve']): Promise<SavedSession | SessionRefusal | undefined>
  /** After the end of a run, so that what its session left stops counting at once. */
  removeUnused(companyId: string): Promise<void>
}

export class StoredRunSessions implements RunSessions {
  readonly #deps: TreeDeps & { db: Database; storage: ObjectStorage }

  constructor(deps: TreeDeps & { storage: ObjectStorage }) {
    this.#deps = deps
  }

  async files(companyId: string, treeId: string | null): Promise<Tree> {
    return decodeTree(await findTree(this.#deps.db, companyId, treeId))
  }

  save(left: LeftFolder, reserve: SaveDeps['reserve']): Promise<SavedSession | SessionRefusal | undefined> {
    return saveSession({ ...this.#deps, reserve }, left)
  }

  removeUnused(companyId: string): Promise<void> {
    return removeUnused(this.#deps, companyId)
  }
}
