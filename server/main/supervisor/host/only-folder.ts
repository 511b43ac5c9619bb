import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder `name` below `parent`; `make` fills it unless it exists. It is complete once it has that name. Roles with supervisors of
 * their own start at the same time and one after another: each makes the folder beside what another makes, and the folder of the
 * former program stays for those that still run it. Older ones are removed.
 */
export function onlyFolder(parent: string, name: string, make: (fresh: string) => void): string {
  const folder = join(parent, name)
  if (!existsSync(folder)) makeFolder(folder, make)
  for (const old of unused(parent, name)) rmSync(join(parent, old), { recursive: true, force: true })
  return folder
}

const freshSuffix = '.new-'

function makeFolder(folder: string, make: (fresh: string) => void): void {
  const fresh = `${folder}${freshSuffix}${process.pid}`
  rmSync(fresh, { recursive: true, force: true })
  make(fresh)
  try {
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another process was first, with the same content.
    if (!existsSync(folder)) throw error
  }
}

/** Folders that are neither in use nor being made. */
function unused(parent: string, name: string): string[] {
  const others = readdirSync(parent).filter((other) => other !== name)
  const residue = others.filter((other) => other.includes('.new') && !isBeingMade(other))
  const former = others.filter((other) => !other.includes('.new'))
  const madeAt = new Map(former.map((other) => [other, statSync(join(parent, other)).mtimeMs]))
  const [_newest, ...older] = former.toSorted((a, b) => (madeAt.get(b) ?? 0) - (madeAt.get(a) ?? 0))
  return [...residue, ...older]
}

const isBeingMade = (fresh: string): boolean =>
  existsSync(`/proc/${fresh.split(freshSuffix)[1] ?? 'none'}/stat`)
