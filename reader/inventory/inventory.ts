/** The result of one scan of an image's layer. Everything in it comes from a hostile image, and is bounded. */
export interface Inventory {
  system: OperatingSystem | undefined
  /** Sorted, without duplicates. */
  packages: Package[]
  /** Sorted. */
  observations: Observation[]
  /** Files that could not be read, so that an empty list of findings is not misleading. */
  unread: Unread[]
  /** A bound of `inventoryBounds` was reached, and something was omitted. */
  truncated: boolean
  files: number
  bytes: number
}

/** The inventory of a layer above others. */
export interface LayerInventory extends Inventory {
  /** Which of the paths that the caller named are hidden or replaced by the layer, as indexes. */
  hidden: number[]
}

/** From os-release(5). */
export interface OperatingSystem {
  id: string
  version: string
  name: string
}

export const packageKinds = ['deb', 'apk', 'pypi', 'npm', 'golang', 'gem', 'maven', 'rpm'] as const
export type PackageKind = (typeof packageKinds)[number]

export interface Package {
  kind: PackageKind
  /** The namespace in a package URL: npm scope, Maven group, Go path. */
  namespace?: string
  name: string
  version: string
  architecture?: string
  /** For distributions: the source package, which their security advisories name. */
  source?: { name: string; version: string }
  /** Paths where it was found, the first few in order. */
  paths: string[]
}

export const observationRules = [
  'setuid_file',
  'setgid_file',
  'capability_file',
  'world_writable_folder',
  'private_key',
  'aws_access_key',
  'github_token',
  'gitlab_token',
  'slack_token',
  'stripe_key',
  'google_api_key',
  'npm_token',
  'pypi_token',
  'openai_key',
  'anthropic_key',
  'url_with_password',
] as const
export type ObservationRule = (typeof observationRules)[number]

/** A suspicious file or folder. Never contains its content. */
export interface Observation {
  rule: ObservationRule
  path: string
}

/** `scan_died`: the scanner died, so the whole image is unread. */
export const unreadReasons = ['rpm_database', 'too_large', 'malformed', 'scan_died'] as const

export interface Unread {
  path: string
  reason: (typeof unreadReasons)[number]
}

export const inventoryBounds = {
  packages: 20_000,
  observations: 1000,
  unread: 100,
  pathsPerPackage: 5,
  /**
   * Names, versions and paths of all packages together. Twenty thousand packages need about half of it. An SBOM may take eight times
   * as much, since it has each name three times and encodes two of them.
   */
  packageTextBytes: 6 * 1024 ** 2,
  /** Bound for a file that is read as a whole, such as a package database or a Java archive. */
  wholeFileBytes: 32 * 1024 ** 2,
  /** Bound for the rpm database, which also has every package's file list and change log. */
  rpmDatabaseBytes: 128 * 1024 ** 2,
  nameLength: 214,
  versionLength: 128,
}

/** The inventory of an image on which the scanner died. */
export const unscanned: Inventory = {
  system: undefined,
  packages: [],
  observations: [],
  unread: [{ path: '/', reason: 'scan_died' }],
  truncated: true,
  files: 0,
  bytes: 0,
}
