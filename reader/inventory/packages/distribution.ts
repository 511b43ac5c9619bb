import type { OperatingSystem } from '../inventory.ts'
import type { InventoryMaker } from '../inventory-maker.ts'
import { controlParagraphs, lines } from './control-fields.ts'

/** `var/lib/dpkg/status`, and the files of `status.d` in images without dpkg. */
export const isDpkgStatus = (path: string): boolean =>
  path === 'var/lib/dpkg/status' ||
  (path.startsWith('var/lib/dpkg/status.d/') && !path.endsWith('.md5sums') && !path.endsWith('.list'))

/** `Source: name` or `Source: name (version)`, only if it differs from the package. */
const sourcePattern = /^(\S+)(?: \(([^()]+)\))?$/

export function readDpkgStatus(content: Buffer, path: string, maker: InventoryMaker): void {
  const needsStatus = path === 'var/lib/dpkg/status'
  for (const fields of controlParagraphs(content)) {
    const name = fields.get('Package') ?? ''
    const version = fields.get('Version') ?? ''
    // Removed packages stay in the file with their configuration.
    if (needsStatus && fields.get('Status')?.split(' ')[2] !== 'installed') continue
    const [, sourceName = name, sourceVersion = version] =
      sourcePattern.exec(fields.get('Source') ?? '') ?? []
    const architecture = fields.get('Architecture') ?? ''
    maker.addPackage(
      {
        kind: 'deb',
        name,
        version,
        ...(/^[a-z0-9-]{1,32}$/.test(architecture) && { architecture }),
        source: { name: sourceName, version: sourceVersion },
      },
      path,
    )
  }
}

export const isApkDatabase = (path: string): boolean => path === 'lib/apk/db/installed'

/** Paragraphs of one-letter fields: P name, V version, A architecture, o the source package. */
export function readApkDatabase(content: Buffer, path: string, maker: InventoryMaker): void {
  for (const fields of controlParagraphs(content)) {
    const name = fields.get('P') ?? ''
    const version = fields.get('V') ?? ''
    const architecture = fields.get('A') ?? ''
    maker.addPackage(
      {
        kind: 'apk',
        name,
        version,
        ...(/^[a-z0-9_]{1,32}$/.test(architecture) && { architecture }),
        source: { name: fields.get('o') ?? name, version },
      },
      path,
    )
  }
}

export const isOsRelease = (path: string): boolean =>
  path === 'etc/os-release' || path === 'usr/lib/os-release'

const assignment = /^([A-Z_]{1,32})=(?:"([^"]{0,128})"|'([^']{0,128})'|([^\s"']{0,128}))$/
const plainId = /^[a-z0-9._-]{1,64}$/

/** Undefined when it does not name a distribution. */
export function readOsRelease(content: Buffer): OperatingSystem | undefined {
  const values = new Map<string, string>()
  for (const line of lines(content)) {
    const [, key, doubled, single, bare] = assignment.exec(line) ?? []
    if (key !== undefined) values.set(key, doubled ?? single ?? bare ?? '')
  }
  const id = values.get('ID') ?? ''
  const version = values.get('VERSION_ID') ?? ''
  if (!plainId.test(id) || (version !== '' && !plainId.test(version))) return undefined
  const name = values.get('PRETTY_NAME') ?? ''
  return { id, version, name: /^[\x20-\x7e]{1,128}$/.test(name) ? name : id }
}
