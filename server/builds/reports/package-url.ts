import type { OperatingSystem, Package, PackageKind } from '../../../reader/inventory/inventory.ts'

/** Normalization by package type (package URL specification). */
const normalize: Partial<Record<PackageKind, (text: string) => string>> = {
  deb: lower,
  apk: lower,
  golang: lower,
  pypi: (text) => text.toLowerCase().replaceAll('_', '-'),
}

/** The distribution of packages when the image does not name one. rpm has no default. */
const defaultSystem: Partial<Record<PackageKind, string>> = { deb: 'debian', apk: 'alpine' }

const isOfSystem = ({ kind }: Pick<Package, 'kind'>): boolean =>
  kind === 'deb' || kind === 'apk' || kind === 'rpm'

/** `pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12` (github.com/package-url/purl-spec). */
export function packageUrl(each: Package, system: OperatingSystem | undefined): string {
  const { architecture: arch } = each
  const distro = isOfSystem(each) && system?.version ? `${system.id}-${system.version}` : undefined
  // The epoch of rpm is a qualifier.
  const [, epoch, version] = /^(?:(\d+):)?(.*)$/s.exec(each.version) ?? []
  const own = each.kind === 'rpm' ? { version: version ?? '', epoch } : { version: each.version }
  const qualifiers = Object.entries({ arch, distro, epoch: own.epoch })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encode(String(value))}`)
    .join('&')
  return `${nameUrl(each, system)}@${encode(own.version)}${qualifiers === '' ? '' : `?${qualifiers}`}`
}

/** The package URL without version and qualifiers. */
export function nameUrl(
  each: Pick<Package, 'kind' | 'namespace' | 'name'>,
  system: OperatingSystem | undefined,
): string {
  const { kind } = each
  const namespace = isOfSystem(each) ? (system?.id ?? defaultSystem[kind]) : each.namespace
  const path = [...(namespace?.split('/') ?? []), each.name].map((part) =>
    encode((normalize[kind] ?? unchanged)(part)),
  )
  return `pkg:${[kind, ...path].join('/')}`
}

function lower(text: string): string {
  return text.toLowerCase()
}

const unchanged = (text: string): string => text

/** Percent-encodes everything but letters, digits, `.-_~` and the colon. */
const encode = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%3A', ':')
