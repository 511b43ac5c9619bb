import type { Affected } from '../../db/tables/findings.ts'
import { type CompareVersions, orderOf } from './compare-versions.ts'

export interface Verdict {
  /** The version that has the vulnerability no more; empty when none is known. */
  fixedVersion: string
}

/** Undefined when the version is not affected, as far as the ecosystem's versions can be told apart. */
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
  // A version that the order does not know is before and after nothing.
  const isKnown = order(version, version) !== undefined
  return (
    isKnown &&
    isAtOrAfter(introduced) &&
    (fixed === undefined || isBefore(fixed)) &&
    (lastAffected === undefined || isAtOrBefore(lastAffected))
  )
}
