import { createHash } from 'node:crypto'
import type { Inventory, Package } from './inventory.ts'
import { packageUrl } from './package-url.ts'

/**
 * The packages of an image as CycloneDX 1.6 JSON. The same image gives the same bytes: nothing in it is of the moment,
 * and the serial number is made from the rest.
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
    compositions: [{ aggregate: isWhole(inventory) ? 'unknown' : 'incomplete', assemblies: [layerDigest] }],
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

/** Nobody knows of an image whether a package is in it that no package manager noted. */
const isWhole = ({ truncated, unread }: Inventory): boolean => !truncated && unread.length === 0

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

/** A UUID by name (RFC 9562, version 8: our own hash). */
function serialNumber(content: string): string {
  const hash = createHash('sha256').update(content).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return `urn:uuid:${hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}`
}
