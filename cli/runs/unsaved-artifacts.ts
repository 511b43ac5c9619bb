import { CliError } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'

/** An artifact that cannot be saved under its name. */
export interface UnsavedArtifact {
  relative_path: string
  reason: string
}

/** Errors of one name, from which nothing follows for the next one. */
const nameErrors: Record<string, string> = {
  ENAMETOOLONG: 'The name is too long for this file system.',
  EILSEQ: 'The name is not possible on this file system.',
  EINVAL: 'The name is not possible on this file system.',
}

/** Returns what keeps one artifact from being saved, so that the others can be; throws any other error. */
export function unsavedArtifact(relativePath: string, error: unknown): UnsavedArtifact {
  if (error instanceof CliError) return { relative_path: relativePath, reason: error.message }
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const reason = nameErrors[code]
  if (reason === undefined) throw error
  return { relative_path: relativePath, reason: `${escapeControls(relativePath)}: ${reason}` }
}

/** The error after the others were saved. */
export const notAllSaved = (unsaved: readonly UnsavedArtifact[], saved: number): CliError =>
  new CliError(`${unsaved.length} of ${unsaved.length + saved} artifacts could not be saved.`, {
    problems: unsaved.map(({ reason }) => reason),
    hint: 'The others were saved. --force replaces existing files; --out names another folder.',
    code: 'cli_not_all_saved',
  })
