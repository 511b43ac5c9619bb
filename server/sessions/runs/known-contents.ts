import type { KnownContent } from '../../executor/port/known-contents.ts'
import type { Tree } from '../trees/tree.ts'

/** The contents of the files of a session: where a run leaves one of them, its bytes are not collected again. */
export const knownContents = (tree: Tree): KnownContent[] => [
  ...new Map(
    [...tree.values()].flatMap((entry): [string, KnownContent][] =>
      entry.kind === 'file' ? [[entry.digest, { byteSize: entry.byteSize, digest: entry.digest }]] : [],
    ),
  ).values(),
]
