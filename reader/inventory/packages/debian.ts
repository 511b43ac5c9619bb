import type { InventoryMaker } from '../inventory-maker.ts'
import { controlParagraphs } from './control-fields.ts'

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
