import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The buildah version whose parsing of Dockerfiles the gate models (`reader/dockerfile/`) and on whose confinement of
 * steps the build script relies. Another version may read a line that the gate accepted in another way.
 */
export const modelledBuildah = '1.39'

/** Advice to the operator about a builder of another version. */
export const builderAdvice = 'run sandbox operator toolchain install (as root) on a mirror that has Debian 13'

const isModelled = (version: string) => version.startsWith(`${modelledBuildah}.`)

/** Why this builder may not be used, from the Debian package status in its root filesystem; undefined if it may. */
export async function builderProblem(builderRootfs: string): Promise<string | undefined> {
  const packages = await readFile(join(builderRootfs, 'var/lib/dpkg/status'), 'utf8').catch(() => '')
  const version = /^Package: buildah\n(?:.+\n)*?Version: (\S+)/m.exec(packages)?.[1]
  if (version === undefined) return 'contains no buildah'
  if (isModelled(version)) return undefined
  return `contains buildah ${version}; Dockerfiles are checked for ${modelledBuildah}`
}
