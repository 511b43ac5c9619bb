import { slicesOf } from '../../fairness/loop-slices.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { removeUnused, type TreeDeps } from '../trees/remove-unused.ts'
import type { Tree } from '../trees/tree.ts'
import { findTree } from '../trees/tree-store.ts'
import { decodeTree } from '../trees/tree-text.ts'
import { VerifiedFiles } from '../trees/verified-files.ts'
import { type LeftFolder, type SavedSession, type SessionRefusal, saveSession } from './save-session.ts'

/** The operations of a worker on the sessions of runs. */
export interface RunSessions {
  /** The files that a session has now. */
  files(companyId: string, treeId: string | null): Promise<Tree>
  /** `VerifiedFiles.areUndamaged`. */
  areUndamaged(companyId: string, tree: Tree): Promise<boolean>
  /** `saveSession`. */
  save(left: LeftFolder): Promise<SavedSession | SessionRefusal | undefined>
  /** After the end of a run, so that what its session left stops counting at once. */
  removeUnused(companyId: string): Promise<void>
}

export class StoredRunSessions implements RunSessions {
  readonly #deps: TreeDeps & { storage: ObjectStorage }
  readonly #verified: VerifiedFiles

  constructor(deps: TreeDeps & { storage: ObjectStorage }) {
    this.#deps = deps
    this.#verified = new VerifiedFiles(deps.storage, deps.clock)
  }

  async files(companyId: string, treeId: string | null): Promise<Tree> {
    const content = await findTree(this.#deps.db, companyId, treeId)
    return decodeTree(content, slicesOf(companyId))
  }

  areUndamaged(companyId: string, tree: Tree): Promise<boolean> {
    return this.#verified.areUndamaged(companyId, tree)
  }

  save(left: LeftFolder): Promise<SavedSession | SessionRefusal | undefined> {
    return saveSession(this.#deps, left)
  }

  removeUnused(companyId: string): Promise<void> {
    return removeUnused(this.#deps, companyId)
  }
}
