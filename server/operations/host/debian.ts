import { PackageCounter, type PackageProgress } from './package-progress.ts'
import { runCommand } from './run-command.ts'

/** Removes files that mmdebstrap copies from its host: the name and the resolvers of the machine. */
export const forgetMachine = 'rm -f "$1/etc/hostname" "$1/etc/resolv.conf"'

/** Increment it when every root filesystem that was made before must be made again, the builder too. */
export const debianRevision = 2

/** A user with a home and a group of its own, both 1000 as in the hub's images. Needs the package passwd. */
const addUser = (name: string): string =>
  `chroot "$1" groupadd --gid 1000 ${name} && chroot "$1" useradd --uid 1000 --gid ${name} --create-home --shell /bin/bash ${name}`

/** Documentation is not needed in a container. */
const leftOut = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*']

/** Packages such as Java's register manual pages, and fail without this folder, also when a Dockerfile installs them. */
const manFolder = '"$1/usr/share/man/man1"'

/** Its signatures are verified with these keys, on a machine with another system too. */
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Makes a Debian root filesystem with the packages from the machine's mirrors: a folder, or a tar if the name
 * ends in `.tar`. Needs root and `mmdebstrap`. Device nodes are omitted: every sandbox gets its own.
 */
export async function makeDebian(
  target: string,
  { suite, packages, user }: { suite: DebianSuite; packages: string[]; user?: string },
  onProgress: (progress: PackageProgress) => void = () => undefined,
): Promise<void> {
  const progress = new PackageCounter()
  const args = [
    '--verbose',
    '--variant=essential',
    `--include=${packages.join(',')}`,
    '--aptopt=APT::Install-Recommends "false"',
    ...leftOut.map((path) => `--dpkgopt=path-exclude=${path}`),
    `--essential-hook=mkdir -p ${manFolder}`,
    `--customize-hook=${forgetMachine}`,
    ...(user === undefined ? [] : [`--customize-hook=${addUser(user)}`]),
    '--skip=output/dev',
    `--keyring=${keyring}`,
    suite,
    target,
    ...(await mirrorsOf(suite)),
  ]
  await runCommand('mmdebstrap', args, {
    onLine(line) {
      if (progress.read(line)) onProgress(progress.state)
    },
  })
}

/** Debian releases that the builder and base images can be made from: 12 and 13. */
export const debianSuites = ['bookworm', 'trixie'] as const
export type DebianSuite = (typeof debianSuites)[number]

const indexFormat = '$(ORIGIN)|$(CODENAME)|$(REPO_URI)'

/** From the output of `apt-get indextargets`. */
export function sourcesOf(suite: DebianSuite, indexes: string): string[] {
  const found = indexes.split('\n').flatMap((line) => {
    const [, kind = '', uri = ''] = /^Debian\|[a-z]+(|-updates|-security)\|(\S+)$/.exec(line) ?? []
    return uri === '' ? [] : [`deb ${uri} ${suite}${kind} main`]
  })
  // Updates alone are not a release.
  return found.some((line) => line.includes(` ${suite} `)) ? [...new Set(found)] : []
}

/**
 * Lines of apt's sources for a release, on the mirrors that this machine uses for its own: for the release, its updates and its
 * security updates. Empty if this machine uses no mirror of Debian; mmdebstrap then uses Debian's own servers.
 */
async function mirrorsOf(suite: DebianSuite): Promise<string[]> {
  const indexes = await runCommand('apt-get', ['indextargets', '--format', indexFormat])
  return sourcesOf(suite, indexes)
}
