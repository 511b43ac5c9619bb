import { CliError } from '../failure.ts'
import { escapeControls } from '../output/escape-controls.ts'

/**
 * The folders and the name of an artifact's path, which a job chose: throws for one that could lead elsewhere or
 * show as something else.
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
      hint: 'Name the artifacts to save one by one, and leave this one out.',
      code: 'cli_unsafe_path',
    })
  }
  return { folders: segments.slice(0, -1), name }
}
