import type { KnownContent } from '../../../agent/port/known-contents.ts'
import { filesByDigest, type Tree } from '../trees/tree.ts'

/** The contents of the files of a session: where a run leaves one of them, its bytes are not collected again. */
export const knownContents = (tree: Tree): KnownContent[] =>
  [...filesByDigest(tree).values()].map(({ byteSize, digest }) => ({ byteSize, digest }))
