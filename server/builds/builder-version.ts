import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * The buildah whose reading of Dockerfiles the gate knows (`dockerfile/`) and whose confinement of steps the build script
 * relies on. Another one may understand a line that the gate has let through as something else.
 */
export const modelledBuildah = '1.28'

/** What the operator does about a builder of another version. */
export const builderAdvice = 'run sandbox operator toolchain install (as root) on a mirror of Debian 12'

const isModelled = (version: string) => version.startsWith(`${modelledBuildah}.`)

/** Why this builder may not be built with, by what Debian's packages say of its root filesystem; undefined: it may. */
export async function builderProblem(builderRootfs: string): Promise<string | undefined> {
  const packages = await readFile(join(builderRootfs, 'var/lib/dpkg/status'), 'utf8').catch(() => '')
  const version = /^Package: buildah\n(?:.+\n)*?Version: (\S+)/m.exec(packages)?.[1]
  if (version === undefined) return 'holds no buildah'
  if (isModelled(version)) return undefined
  return `holds buildah ${version}; Dockerfiles are checked for ${modelledBuildah}`
}
