import { runCommand } from './run-command.ts'

/** Debian releases that the builder and base images can be made from: 12 and 13. */
export const debianSuites = ['bookworm', 'trixie'] as const
export type DebianSuite = (typeof debianSuites)[number]

const indexFormat = '$(ORIGIN)|$(CODENAME)|$(REPO_URI)'

/**
 * Lines of apt's sources for a release, on the mirrors that this machine uses for its own: for the release, its updates and its
 * security updates. Empty if this machine uses no mirror of Debian; mmdebstrap then uses Debian's own servers.
 */
export async function mirrorsOf(suite: DebianSuite): Promise<string[]> {
  const indexes = await runCommand('apt-get', ['indextargets', '--format', indexFormat])
  return sourcesOf(suite, indexes)
}

/** From the output of `apt-get indextargets`. */
export function sourcesOf(suite: DebianSuite, indexes: string): string[] {
  const found = indexes.split('\n').flatMap((line) => {
    const [, kind = '', uri = ''] = /^Debian\|[a-z]+(|-updates|-security)\|(\S+)$/.exec(line) ?? []
    return uri === '' ? [] : [`deb ${uri} ${suite}${kind} main`]
  })
  // Updates alone are not a release.
  return found.some((line) => line.includes(` ${suite} `)) ? [...new Set(found)] : []
}
