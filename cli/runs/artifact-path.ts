import { CliError } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'

/**
 * The folders and the name of an artifact path, which a job chose. Throws for a path that could leave the folder or
 * display misleadingly.
 */
export function checkedSegments(relativePath: string): { folders: string[]; name: string } {
  const segments = relativePath.split('/')
  const name = segments.at(-1)
  const wrong = segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  if (
    name === undefined ||
    wrong ||
    relativePath.includes('\\') ||
    escapeControls(relativePath) !== relativePath
  ) {
    throw new CliError(`The artifact ${escapeControls(relativePath)} has a path that is not safe to save.`, {
      hint: 'Read it with the API, or let the job choose another name.',
      code: 'cli_unsafe_path',
    })
  }
  return { folders: segments.slice(0, -1), name }
}
