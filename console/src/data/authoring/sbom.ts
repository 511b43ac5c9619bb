/** A package in an image. */
export interface ImagePackage {
  /** Package manager that recorded it, such as `deb`. */
  kind: string
  /** With its group, such as `@types/node`. */
  name: string
  version: string
}

export interface Sbom {
  packages: readonly ImagePackage[]
  /** False: a limit was reached, or files could not be read. */
  isComplete: boolean
}

/** The parts of CycloneDX JSON that are read here. */
interface Document {
  components?: { type: string; group?: string; name: string; version?: string; purl?: string }[]
  compositions?: { aggregate: string }[]
}

/** The packages of an SBOM by name. */
export function readSbom(document: unknown): Sbom {
  const { components = [], compositions = [] } = document as Document
  const packages = components
    .filter(({ type }) => type === 'library')
    .map(({ group, name, version = '', purl = '' }) => ({
      kind: /^pkg:([^/]+)\//.exec(purl)?.[1] ?? '',
      name: group === undefined ? name : `${group}/${name}`,
      version,
    }))
  return {
    packages: packages.toSorted((a, b) => inOrder(a, b) || compare(a.version, b.version)),
    isComplete: compositions.every(({ aggregate }) => aggregate !== 'incomplete'),
  }
}

/** The order of packages in every list: by name, then by package manager. */
export const inOrder = (
  a: Pick<ImagePackage, 'kind' | 'name'>,
  b: Pick<ImagePackage, 'kind' | 'name'>,
): number => compare(a.name, b.name) || compare(a.kind, b.kind)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
