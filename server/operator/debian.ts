import { runCommand } from './run-command.ts'

const release = 'bookworm'
/** What mmdebstrap copies of the machine that it runs on: its name and its resolvers. */
export const forgetMachine = 'rm -f "$1/etc/hostname" "$1/etc/resolv.conf"'

/** Raised when what a package list makes becomes another thing. */
export const debianRevision = 2

/** Nobody reads manuals in a container. */
const leftOut = ['/usr/share/doc/*', '/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*']

/**
 * Makes a Debian root filesystem with the packages, as a folder or (name ending in `.tar`) a tar, from the
 * machine's own package sources. Needs root and `mmdebstrap`. Device nodes are left out: every sandbox gets its own.
 */
export async function makeDebian(target: string, packages: string[]): Promise<void> {
  await runCommand('mmdebstrap', [
    '--variant=essential',
    `--include=${packages.join(',')}`,
    '--aptopt=APT::Install-Recommends "false"',
    ...leftOut.map((path) => `--dpkgopt=path-exclude=${path}`),
    `--customize-hook=${forgetMachine}`,
    '--skip=output/dev',
    release,
    target,
  ])
}
