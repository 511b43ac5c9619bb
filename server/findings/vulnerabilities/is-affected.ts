import type { Affected } from '../../db/tables/findings.ts'
import { type CompareVersions, orderOf } from './compare-versions.ts'

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
