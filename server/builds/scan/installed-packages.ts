import type { InstalledPackage } from '../../findings/vulnerabilities/match-packages.ts'
import type { Inventory, OperatingSystem, Package } from './inventory.ts'
import { nameUrl } from './package-url.ts'

/** The packages as databases of vulnerabilities name them; those of a system that none covers are left out. */
export const installedPackages = ({
  packages,
  system,
}: Pick<Inventory, 'packages' | 'system'>): InstalledPackage[] =>
  packages.flatMap((each) => {
    const ecosystem = ecosystemOf(each, system)
    // Distributions speak of the source package, from which many others are built; those of rpm speak of each.
    const source = each.kind === 'rpm' ? undefined : each.source
    const { name, version } = source ?? { ...each, name: qualifiedName(each) }
    const subject = nameUrl(source ? { kind: each.kind, name } : each, system)
    return ecosystem === undefined ? [] : [{ ecosystem, name, version, subject }]
  })

/** Those of which OSV has records by the first number of a release. */
const rpmDistributions: Partial<Record<string, string>> = { almalinux: 'AlmaLinux', rocky: 'Rocky Linux' }

function ecosystemOf({ kind }: Package, system: OperatingSystem | undefined): string | undefined {
  switch (kind) {
    case 'deb':
      if (system?.id === 'debian') return `Debian:${system.version}`
      return system?.id === 'ubuntu' ? `Ubuntu:${system.version}` : undefined
    case 'apk':
      return system?.id === 'alpine'
        ? `Alpine:v${system.version.split('.').slice(0, 2).join('.')}`
        : undefined
    case 'rpm': {
      const distribution = rpmDistributions[system?.id ?? '']
      return distribution && `${distribution}:${system?.version.split('.')[0]}`
    }
    case 'pypi':
      return 'PyPI'
    case 'npm':
      return 'npm'
    case 'golang':
      return 'Go'
    case 'gem':
      return 'RubyGems'
    case 'maven':
      return 'Maven'
  }
}

function qualifiedName({ kind, namespace, name }: Package): string {
  if (namespace === undefined) return name
  return kind === 'maven' ? `${namespace}:${name}` : `${namespace}/${name}`
}
