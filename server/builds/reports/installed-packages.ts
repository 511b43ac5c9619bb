import type { Inventory, OperatingSystem, Package } from '../../../reader/inventory/inventory.ts'
import type { InstalledPackage } from '../../findings/vulnerabilities/match-packages.ts'
import { nameUrl } from './package-url.ts'

/** The packages under the names of vulnerability databases. Omits packages of systems that no database covers. */
export const installedPackages = ({
  packages,
  system,
}: Pick<Inventory, 'packages' | 'system'>): InstalledPackage[] =>
  packages.flatMap((each) => {
    const ecosystem = ecosystemOf(each, system)
    // Advisories of distributions name the source package; those of rpm distributions name the binary package.
    const source = each.kind === 'rpm' ? undefined : each.source
    const { name, version } = source ?? { ...each, name: qualifiedName(each) }
    const subject = nameUrl(source ? { kind: each.kind, name } : each, system)
    return ecosystem === undefined ? [] : [{ ecosystem, name, version, subject }]
  })

/** Distributions with OSV records by major release. */
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
