import { createHash } from 'node:crypto'
import { type Inventory, type Package, packageKinds } from '../../../reader/inventory/inventory.ts'
import { packageUrl } from './package-url.ts'

/**
 * The packages of an image as CycloneDX 1.6 JSON. The same image gives the same bytes: it has no timestamp, and the serial
 * number is derived from the content.
 */
export function cycloneDx(inventory: Inventory, layerDigest: string): Buffer {
  const { system } = inventory
  const image = {
    type: 'container',
    'bom-ref': layerDigest,
    name: 'image',
    version: layerDigest,
    hashes: [{ alg: 'SHA-256', content: layerDigest.slice('sha256:'.length) }],
  }
  const components = [
    ...(system
      ? [{ type: 'operating-system', 'bom-ref': 'system', name: system.id, version: system.version }]
      : []),
    ...inventory.packages.map((each) => componentOf(each, inventory)),
  ]
  const content = {
    version: 1,
    metadata: { tools: { components: [{ type: 'application', name: 'sandbox-jobs' }] }, component: image },
    components,
    compositions: [
      { aggregate: isComplete(inventory) ? 'unknown' : 'incomplete', assemblies: [layerDigest] },
    ],
  }
  return Buffer.from(
    JSON.stringify({
      $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: serialNumber(JSON.stringify(content)),
      ...content,
    }),
  )
}

/** Never `complete`: an image may have packages that no package manager recorded. */
const isComplete = ({ truncated, unread }: Inventory): boolean => !truncated && unread.length === 0

function componentOf(each: Package, { system }: Inventory) {
  const purl = packageUrl(each, system)
  return {
    type: 'library',
    'bom-ref': purl,
    ...(each.namespace !== undefined && { group: each.namespace }),
    name: each.name,
    version: each.version,
    purl,
    ...(each.source && {
      properties: [
        { name: 'sandbox-jobs:source:name', value: each.source.name },
        { name: 'sandbox-jobs:source:version', value: each.source.version },
      ],
    }),
    evidence: { occurrences: each.paths.map((location) => ({ location })) },
  }
}

/** A UUID derived from the content (RFC 9562, version 8: custom hash). */
function serialNumber(content: string): string {
  const hash = createHash('sha256').update(content).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
}

interface Component {
  type: string
  group?: string
  name: string
  version: string
  purl?: string
  properties?: { name: string; value: string }[]
}

/**
 * Reads from an SBOM that `cycloneDx` wrote the fields that vulnerabilities are matched by. The bytes are trusted:
 * the caller has compared them with the recorded digest.
 */
export function packagesOfSbom(sbom: Buffer): Inventory['packages'] {
  const { components } = JSON.parse(sbom.toString('utf8')) as { components: Component[] }
  return components.flatMap(({ group, name, version, purl = '', properties = [] }) => {
    const kind = packageKinds.find((each) => purl.startsWith(`pkg:${each}/`))
    if (!kind) return []
    const [sourceName, sourceVersion] = ['name', 'version'].map(
      (part) => properties.find((property) => property.name === `sandbox-jobs:source:${part}`)?.value,
    )
    const found: Package = { kind, name, version, paths: [] }
    if (group !== undefined) found.namespace = group
    if (sourceName !== undefined && sourceVersion !== undefined) {
      found.source = { name: sourceName, version: sourceVersion }
    }
    return [found]
  })
}
