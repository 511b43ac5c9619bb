import { compare as comparePep440, valid as validPep440 } from '@renovatebot/pep440'
import semver from 'semver'
import type { Affected } from '../../db/tables/findings.ts'
import { compareDebianVersions } from './debian-version.ts'
import { compareRpmVersions } from './rpm-version.ts'

export interface Verdict {
  /** The first version without the vulnerability. Empty if none is known. */
  fixedVersion: string
}

/** Undefined if the version is not affected, or if the ecosystem's versions cannot be compared. */
export function affectedBy(ecosystem: string, version: string, affected: Affected): Verdict | undefined {
  const order = orderOf(ecosystem)
  const range = order && affected.ranges.find((each) => isWithin(order, version, each))
  if (range) return { fixedVersion: range.fixed ?? '' }
  if (!affected.versions.includes(version)) return undefined
  return { fixedVersion: affected.ranges.at(-1)?.fixed ?? '' }
}

function isWithin(order: CompareVersions, version: string, range: Affected['ranges'][number]): boolean {
  const { introduced = '0', fixed, lastAffected } = range
  const isAtOrAfter = (bound: string) => bound === '0' || (order(version, bound) ?? -1) >= 0
  const isBefore = (bound: string) => (order(version, bound) ?? 1) < 0
  const isAtOrBefore = (bound: string) => (order(version, bound) ?? 1) <= 0
  // A version that is invalid in this order is in no range.
  const isKnown = order(version, version) !== undefined
  return (
    isKnown &&
    isAtOrAfter(introduced) &&
    (fixed === undefined || isBefore(fixed)) &&
    (lastAffected === undefined || isAtOrBefore(lastAffected))
  )
}

/** Negative if `a` is older than `b`. Undefined if one of them is not a valid version of the ecosystem. */
type CompareVersions = (a: string, b: string) => number | undefined

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

const orderOf = (ecosystem: string): CompareVersions | undefined => orders[ecosystem.split(':')[0] ?? '']
