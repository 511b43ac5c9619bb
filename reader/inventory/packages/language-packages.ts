import { JsonRefused, parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { InventoryMaker } from '../inventory-maker.ts'
import { controlParagraphs, lines } from './control-fields.ts'

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

const specificationFile = /(?:^|\/)specifications\/(?:default\/)?[^/]+\.gemspec$/
const nameLine = /^\s{0,8}s\.name = "([^"]{1,256})"/
const versionLine = /^\s{0,8}s\.version = "([^"]{1,256})"/

export const isGemSpecification = (path: string): boolean => specificationFile.test(path)

/** RubyGems writes these files, one attribute per line. They are Ruby programs and are only parsed, never run. */
export function readGemSpecification(content: Buffer, path: string, maker: InventoryMaker): void {
  let name = ''
  let version = ''
  for (const line of lines(content)) {
    name ||= nameLine.exec(line)?.[1] ?? ''
    version ||= versionLine.exec(line)?.[1] ?? ''
  }
  maker.addPackage({ kind: 'gem', name, version }, path)
}

const metadataFile = /(?:^|\/)[^/]+\.(?:dist-info\/METADATA|egg-info\/PKG-INFO|egg-info)$/

export const isPythonMetadata = (path: string): boolean => metadataFile.test(path)

/** Reads the fields before the description (core metadata, PEP 566). */
export function readPythonMetadata(content: Buffer, path: string, maker: InventoryMaker): void {
  const [fields] = controlParagraphs(content)
  maker.addPackage(
    { kind: 'pypi', name: fields?.get('Name') ?? '', version: fields?.get('Version') ?? '' },
    path,
  )
}
