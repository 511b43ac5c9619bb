import type { OperatingSystem, Package, PackageKind } from './inventory.ts'

/** What the package URL specification has changed for a type before it is written. */
const normal: Partial<Record<PackageKind, (text: string) => string>> = {
  deb: lower,
  apk: lower,
  golang: lower,
  pypi: (text) => text.toLowerCase().replaceAll('_', '-'),
}

/** `pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12` (github.com/package-url/purl-spec). */
export function packageUrl(each: Package, system: OperatingSystem | undefined): string {
  const { version, architecture: arch } = each
  const isOfSystem = each.kind === 'deb' || each.kind === 'apk'
  const distro = isOfSystem && system?.version ? `${system.id}-${system.version}` : undefined
  const qualifiers = Object.entries({ arch, distro })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encode(String(value))}`)
    .join('&')
  return `${nameUrl(each, system)}@${encode(version)}${qualifiers === '' ? '' : `?${qualifiers}`}`
}

/** The same without what changes from version to version. */
export function nameUrl(
  each: Pick<Package, 'kind' | 'namespace' | 'name'>,
  system: OperatingSystem | undefined,
): string {
  const { kind } = each
  const isOfSystem = kind === 'deb' || kind === 'apk'
  const namespace = isOfSystem ? (system?.id ?? (kind === 'deb' ? 'debian' : 'alpine')) : each.namespace
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
