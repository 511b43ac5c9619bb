import type { OperatingSystem, Package, PackageKind } from './inventory.ts'

/** What the package URL specification has changed for a type before it is written. */
const normal: Partial<Record<PackageKind, (text: string) => string>> = {
  deb: lower,
  apk: lower,
  golang: lower,
  pypi: (text) => text.toLowerCase().replaceAll('_', '-'),
}

/** Whose packages they are where an image does not say; those of rpm are nobody's then. */
const usualSystem: Partial<Record<PackageKind, string>> = { deb: 'debian', apk: 'alpine' }

const isOfSystem = ({ kind }: Pick<Package, 'kind'>): boolean =>
  kind === 'deb' || kind === 'apk' || kind === 'rpm'

/** `pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12` (github.com/package-url/purl-spec). */
export function packageUrl(each: Package, system: OperatingSystem | undefined): string {
  const { architecture: arch } = each
  const distro = isOfSystem(each) && system?.version ? `${system.id}-${system.version}` : undefined
  // rpm's epoch stands apart.
  const [, epoch, version] = /^(?:(\d+):)?(.*)$/s.exec(each.version) ?? []
  const own = each.kind === 'rpm' ? { version: version ?? '', epoch } : { version: each.version }
  const qualifiers = Object.entries({ arch, distro, epoch: own.epoch })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encode(String(value))}`)
    .join('&')
  return `${nameUrl(each, system)}@${encode(own.version)}${qualifiers === '' ? '' : `?${qualifiers}`}`
}

/** The same without what changes from version to version. */
export function nameUrl(
  each: Pick<Package, 'kind' | 'namespace' | 'name'>,
  system: OperatingSystem | undefined,
): string {
  const { kind } = each
  const namespace = isOfSystem(each) ? (system?.id ?? usualSystem[kind]) : each.namespace
  const path = [...(namespace?.split('/') ?? []), each.name].map((part) =>
    encode((normal[kind] ?? same)(part)),
  )
  return `pkg:${[kind, ...path].join('/')}`
}

function lower(text: string): string {
  return text.toLowerCase()
}

const same = (text: string): string => text

/** Everything but letters, digits and `.-_~`; a colon stands for itself. */
const encode = (text: string): string =>
  encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%3A', ':')
