import type { OperatingSystem } from '../inventory.ts'
import { lines } from './control-fields.ts'

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
