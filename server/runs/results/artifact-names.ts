import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { CollectedTreeFile } from '../../../agent/port/sandbox-exit.ts'
import { fileTime } from '../../../reader/formats/file-time.ts'
import { type ArtifactRefusal, shownPath } from './artifact-refusal.ts'

export interface NamedArtifact {
  relativePath: string
  /** Hex SHA-256 of the path's bytes. */
  pathHash: string
  byteSize: number
  /** `reader/formats/file-time.ts`. */
  modifiedAt: number
}

/** C0, DEL, C1, and marks that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const forbidden = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

/**
 * The names of collected files as text, or the rule that one of them breaks: then the whole bundle is refused
 * (contract part 1, "Runtime contract"). Lengths and kinds were checked when the files were collected.
 */
export function nameArtifacts(files: readonly CollectedTreeFile[]): NamedArtifact[] | ArtifactRefusal {
  const named: NamedArtifact[] = []
  for (const file of files) {
    const bytes = Buffer.from(file.path, 'latin1')
    if (!isUtf8(bytes)) return { rule: 'path_not_utf8', path: shownPath(file.path) }
    const relativePath = bytes.toString('utf8')
    if (forbidden.test(relativePath)) return { rule: 'control_character', path: shownPath(file.path) }
    if (relativePath.split('/').some((part) => part === '' || part === '.' || part === '..')) {
      return { rule: 'path_not_plain', path: shownPath(file.path) }
    }
    const pathHash = createHash('sha256').update(bytes).digest('hex')
    const modifiedAt = fileTime(file.modifiedAt)
    named.push({ relativePath, pathHash, byteSize: file.byteSize, modifiedAt })
  }
  return named
}
