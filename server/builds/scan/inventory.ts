/** What one pass over the layer of an image finds. Everything in it is the word of a hostile image, bounded. */
export interface Inventory {
  system: OperatingSystem | undefined
  /** Sorted; a package that is there several times is here once. */
  packages: Package[]
  /** Sorted. */
  observations: Observation[]
  /** What was there and was not read, so that a list without findings is not taken for more than it is. */
  unread: Unread[]
  /** A bound of `inventoryBounds` was reached, and something was left out. */
  truncated: boolean
  files: number
  bytes: number
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
  /** The part of the name that has a place of its own in a package URL: npm scope, Maven group, Go path. */
  namespace?: string
  name: string
  version: string
  architecture?: string
  /** Of distributions: the source package, which is what their security teams speak of. */
  source?: { name: string; version: string }
  /** Where it was found, the first few in order. */
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

/** A file or folder that deserves a look; never what is written in it. */
export interface Observation {
  rule: ObservationRule
  path: string
}

/** `scan_died`: the image as a whole, on which the scanner ended before its time. */
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
  /** Of a file that is read as a whole: a package database, an archive of classes. */
  wholeFileBytes: 32 * 1024 ** 2,
  /** The same of rpm's, which has every package's list of files and changes in it. */
  rpmDatabaseBytes: 128 * 1024 ** 2,
  nameLength: 214,
  versionLength: 128,
}

/** Of an image that the scanner could not read to its end. */
export const unscanned: Inventory = {
  system: undefined,
  packages: [],
  observations: [],
  unread: [{ path: '/', reason: 'scan_died' }],
  truncated: true,
  files: 0,
  bytes: 0,
}
