import { JsonRefused, parseStrictJson } from '../../../server/base/json/strict-json.ts'
import type { InventoryMaker } from '../inventory-maker.ts'

/** The manifest of an installed package. Deeper ones describe parts of a package. */
const manifestFile = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@][^/]*\/package\.json$/
const manifestBounds = { maxBytes: 1024 ** 2, maxDepth: 32, maxNodes: 50_000 }
const scopedName = /^(?:(@[^/]+)\/)?([^/]+)$/

export const isNpmManifest = (path: string): boolean => manifestFile.test(path)

export function readNpmManifest(content: Buffer, path: string, maker: InventoryMaker): void {
  const manifest = parse(content)
  if (!manifest) {
    maker.addUnread({ path, reason: 'malformed' })
    return
  }
  const { name, version } = manifest
  // Manifests without a version are not packages, for example hints for bundlers.
  if (typeof name !== 'string' || typeof version !== 'string') return
  const [, namespace, ownName] = scopedName.exec(name) ?? []
  maker.addPackage({ kind: 'npm', ...(namespace && { namespace }), name: ownName ?? '', version }, path)
}

function parse(content: Buffer): Record<string, unknown> | undefined {
  try {
    const value = parseStrictJson(content, manifestBounds)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof JsonRefused) return undefined
    throw error
  }
}
