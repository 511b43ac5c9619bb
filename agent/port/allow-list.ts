import {
  type AddressRange,
  contains,
  overlap,
  parseAddressRange,
} from '../../server/base/addresses/address-range.ts'
import { specialRanges4, specialRanges6 } from '../../server/base/addresses/special-ranges.ts'

/**
 * The public addresses that a sandbox may reach: those that these names resolve to when it queries them, and those in these
 * ranges. If both are empty, none.
 */
export interface AllowList {
  /** `api.example.org`, or `*.example.org` for all names below it but not itself; lower case. */
  names: string[]
  /** `8.8.8.0/24`, `2001:4860::/32`. */
  ranges: string[]
}

/** Maximum number of names, and of ranges. */
const entriesMax = 128

/** Why an entry is not accepted. */
export type AllowListProblem = 'too_many' | 'name_invalid' | 'range_invalid' | 'range_not_public'

const label = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const name = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*$`)
const nameMax = 253
const numeric = /(?:^|\.)[0-9]+$/

const special = [...specialRanges4, ...specialRanges6].map(({ range }) => parsed(range))

/** The first invalid entry and its problem; undefined for a valid list. */
export function allowListProblem({
  names,
  ranges,
}: AllowList): { of: keyof AllowList; at: number; problem: AllowListProblem } | undefined {
  for (const [of, entries] of Object.entries({ names, ranges }) as [keyof AllowList, string[]][]) {
    if (entries.length > entriesMax) return { of, at: entriesMax, problem: 'too_many' }
    for (const [at, entry] of entries.entries()) {
      const problem = of === 'names' ? nameProblem(entry) : rangeProblem(entry)
      if (problem) return { of, at, problem }
    }
  }
  return undefined
}

/** A name with a numeric last label is refused: programs would parse it as an address. */
const nameProblem = (entry: string): AllowListProblem | undefined =>
  entry.length <= nameMax && name.test(entry) && !numeric.test(entry) ? undefined : 'name_invalid'

function rangeProblem(entry: string): AllowListProblem | undefined {
  const range = parseAddressRange(entry)
  if (!range) return 'range_invalid'
  return special.some((one) => overlap(one, range)) ? 'range_not_public' : undefined
}

/** The ranges that no other range contains; the kernel refuses overlapping ranges. */
export function outermost(ranges: readonly string[]): { range: string; family: 4 | 6 }[] {
  const all = ranges.map((range) => ({ range, ...parsed(range) }))
  return all
    .filter(
      (one, at) =>
        !all.some(
          (other, index) => index !== at && contains(other, one) && (!contains(one, other) || index < at),
        ),
    )
    .map(({ range, family }) => ({ range, family }))
}

/** The intersection of both lists: of two nested entries, the inner one. */
export function narrowed(one: AllowList, other: AllowList): AllowList {
  const ranges = [one, other].map((list) => list.ranges.map((range) => ({ range, ...parsed(range) })))
  return {
    names: heldByBoth(one.names, other.names, covers),
    ranges: heldByBoth(ranges[0] ?? [], ranges[1] ?? [], contains).map(({ range }) => range),
  }
}

const covers = (entry: string, other: string): boolean =>
  entry === other || (entry.startsWith('*.') && other.endsWith(entry.slice(1)))

/** Entries of either list that the other list contains, without duplicates of equal meaning. */
function heldByBoth<T>(
  some: readonly T[],
  others: readonly T[],
  holds: (outer: T, inner: T) => boolean,
): T[] {
  const inOthers = some.filter((entry) => others.some((other) => holds(other, entry)))
  const inSome = others.filter((entry) => some.some((other) => holds(other, entry) && !holds(entry, other)))
  return [...inOthers, ...inSome]
}

function parsed(range: string): AddressRange {
  const found = parseAddressRange(range)
  if (!found) throw new Error(`${range} is no range of addresses`)
  return found
}

/** True if there is a list and it has no entry. A sandbox with such a list reaches nothing, or the service alone. */
export const isClosed = (allow: AllowList | undefined): boolean =>
  allow !== undefined && allow.names.length === 0 && allow.ranges.length === 0
