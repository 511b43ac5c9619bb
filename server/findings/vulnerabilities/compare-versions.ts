import { compare as comparePep440, valid as validPep440 } from '@renovatebot/pep440'
import semver from 'semver'
import { compareDebianVersions } from './debian-version.ts'
import { compareRpmVersions } from './rpm-version.ts'

/** Negative if `a` is older than `b`. Undefined if one of them is not a valid version of the ecosystem. */
export type CompareVersions = (a: string, b: string) => number | undefined

const compareSemver: CompareVersions = (a, b) => {
  const [left, right] = [semver.parse(a, true), semver.parse(b, true)]
  return left && right ? semver.compare(left, right) : undefined
}

const comparePython: CompareVersions = (a, b) =>
  validPep440(a) && validPep440(b) ? comparePep440(a, b) : undefined

/**
 * Keyed by the first part of an ecosystem's name in OSV. In other ecosystems only explicitly listed versions are
 * matched.
 */
const orders: Partial<Record<string, CompareVersions>> = {
  Debian: compareDebianVersions,
  Ubuntu: compareDebianVersions,
  AlmaLinux: compareRpmVersions,
  'Rocky Linux': compareRpmVersions,
  npm: compareSemver,
  Go: compareSemver,
  PyPI: comparePython,
}

export const orderOf = (ecosystem: string): CompareVersions | undefined =>
  orders[ecosystem.split(':')[0] ?? '']
