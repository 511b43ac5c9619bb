import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { builderProblem } from '../builds/builder-version.ts'
import { debianRevision, makeDebian } from './debian.ts'

const packages = ['buildah', 'ca-certificates', 'skopeo', 'tar']
const recipe = createHash('sha256').update(`${debianRevision} ${packages.join()}`).digest('hex')

/** What this machine's package sources give is no builder to build with. */
export class ToolchainRefused extends Error {
  override name = 'ToolchainRefused'
}

/**
 * The builder: a root filesystem of its own with buildah in it, in which every build sandbox starts. Made once
 * from Debian packages; made again only when the recipe changes, or its buildah is of another version than builds
 * take. Answers whether it was made now; throws `ToolchainRefused` and leaves the one that is there.
 */
export async function installToolchain(builderRootfs: string): Promise<boolean> {
  const marker = join(dirname(builderRootfs), 'recipe')
  const isMade = (await readFile(marker, 'utf8').catch(() => '')) === recipe
  if (isMade && !(await builderProblem(builderRootfs))) return false
  const part = `${builderRootfs}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(dirname(builderRootfs), { recursive: true, mode: 0o700 })
  await makeDebian(part, packages)
  const problem = await builderProblem(part)
  if (problem) throw new ToolchainRefused(`the builder that this machine's package sources give ${problem}`)
  await mkdir(join(part, 'base-images'), { recursive: true })
  await rm(marker, { force: true })
  await rm(builderRootfs, { recursive: true, force: true })
  await rename(part, builderRootfs)
  await writeFile(marker, recipe)
  return true
}
