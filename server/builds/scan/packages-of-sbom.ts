import { type Inventory, type Package, packageKinds } from './inventory.ts'

interface Component {
  type: string
  group?: string
  name: string
  version: string
  purl?: string
  properties?: { name: string; value: string }[]
}

/**
 * What `cycloneDx` wrote down, read back as far as vulnerabilities are matched by it. The bytes are the platform's own:
 * the caller has compared them with the digest that was noted of them.
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
