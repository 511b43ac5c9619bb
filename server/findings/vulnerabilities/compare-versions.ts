import { compare as comparePep440, valid as validPep440 } from '@renovatebot/pep440'
import semver from 'semver'
import { compareDebianVersions } from './debian-version.ts'
import { compareRpmVersions } from './rpm-version.ts'

/** Below zero when `a` is older than `b`; undefined when one of them is no version of the ecosystem. */
export type CompareVersions = (a: string, b: string) => number | undefined

const compareSemver: CompareVersions = (a, b) => {
  const [left, right] = [semver.parse(a, true), semver.parse(b, true)]
  return left && right ? semver.compare(left, right) : undefined
}

const comparePython: CompareVersions = (a, b) =>
  validPep440(a) && validPep440(b) ? comparePep440(a, b) : undefined

/** By the first part of an ecosystem's name in OSV. Of others only versions that are named one by one are matched. */
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
