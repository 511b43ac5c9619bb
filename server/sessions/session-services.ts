import type { Directory } from '../access/directory/directory.ts'
import type { PageTokens } from '../base/page.ts'
import type { SerialByKey } from '../fairness/serial-by-key.ts'
import type { Downloads } from '../storage/downloads/downloads.ts'
import type { ObjectStorage } from '../storage/port.ts'
import type { TreeDeps } from './trees/remove-unused.ts'

/** The dependencies of the sessions that people use. */
export interface SessionServices extends TreeDeps {
  storage: ObjectStorage
  directory: Directory
  pages: PageTokens
  downloads: Downloads
  sessionSizes: SessionSizes
  /** A change writes the whole tree, so a company makes one at a time. */
  changeTurns: SerialByKey
}

export interface SessionSizes {
  /** Of a session that names no limit. */
  defaultBytes: number
  maxBytes: number
}
