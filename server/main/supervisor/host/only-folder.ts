import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder `name` below `parent`; `make` fills it unless it exists. It is complete once it has that name. All other
 * folders there are removed.
 */
export function onlyFolder(parent: string, name: string, make: (fresh: string) => void): string {
  const folder = join(parent, name)
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`
    rmSync(fresh, { recursive: true, force: true })
    make(fresh)
    renameSync(fresh, folder)
  }
  for (const other of readdirSync(parent)) {
    if (other !== name) rmSync(join(parent, other), { recursive: true, force: true })
  }
  return folder
}
