import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { builderProblem } from '../../builds/builder/builder-version.ts'
import { debianRevision, makeDebian } from './debian.ts'

/** The release with the buildah whose grammar the gate models, whatever release this machine has. */
const suite = 'trixie'
const packages = ['buildah', 'ca-certificates', 'netavark', 'skopeo', 'tar']
const recipe = createHash('sha256').update(`${debianRevision} ${suite} ${packages.join()}`).digest('hex')

/** The builder from this machine's mirrors cannot be used. */
export class ToolchainRefused extends Error {
  override name = 'ToolchainRefused'
}

/**
 * Installs the builder: a separate root filesystem with buildah, in which every build sandbox starts. It is made from
 * Debian packages once, and again only if the recipe changes or its buildah has a version that builds do not support.
 * Returns whether it was made now. Throws `ToolchainRefused` and keeps the existing one.
 */
export async function installToolchain(builderRootfs: string): Promise<boolean> {
  const marker = join(dirname(builderRootfs), 'recipe')
  const isMade = (await readFile(marker, 'utf8').catch(() => '')) === recipe
  if (isMade && !(await builderProblem(builderRootfs))) return false
  const part = `${builderRootfs}.part`
  await rm(part, { recursive: true, force: true })
  await mkdir(dirname(builderRootfs), { recursive: true, mode: 0o700 })
  await makeDebian(part, { suite, packages })
  const problem = await builderProblem(part)
  if (problem) throw new ToolchainRefused(`the builder from this machine's mirrors ${problem}`)
  await mkdir(join(part, 'base-images'), { recursive: true })
  await rm(marker, { force: true })
  await rm(builderRootfs, { recursive: true, force: true })
  await rename(part, builderRootfs)
  await writeFile(marker, recipe)
  return true
}
