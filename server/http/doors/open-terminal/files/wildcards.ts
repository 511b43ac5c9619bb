/*
 * Patterns of file names as a shell has them: `*` is any text, slashes too, `?` one character, `[a-z]` and `[!a]` one of some. A
 * tenant's pattern is compared with a tenant's names, so the work is bounded: at a star the comparison goes back to the last one
 * only, and a budget is shared by all comparisons of a request. Each step costs the same, whatever it is compared with.
 */

export const patternMaxLength = 256

type Part = '*' | ((code: number) => boolean)

interface Budget {
  /** Characters that may still be compared. */
  steps: number
}

/** Enough for short patterns and twenty thousand long paths. */
export const searchBudget = (): Budget => ({ steps: 5_000_000 })

/** Whether a text is as the pattern says; false where the budget is used up. */
type Wildcard = (text: string, budget: Budget) => boolean

export function wildcard(pattern: string): Wildcard {
  const parts = partsOf(pattern)
  return (text, budget) => matches(parts, text, budget)
}

const set = /\[(!?)(\]?[^\]]*)\]/y

function partsOf(pattern: string): Part[] {
  const parts: Part[] = []
  for (let at = 0; at < pattern.length; ) {
    const char = pattern[at] ?? ''
    set.lastIndex = at
    const found = char === '[' ? set.exec(pattern) : null
    if (found) parts.push(oneOf(found[2] ?? '', found[1] === '!'))
    else if (char === '*') parts.push('*')
    else parts.push(char === '?' ? () => true : (given) => given === char.charCodeAt(0))
    at += found ? found[0].length : 1
  }
  return parts
}

const asciiCodes = 128

/** Looks up ASCII at once, and everything else in sorted ranges: a tenant would fill a list that is read through. */
function oneOf(members: string, isNegated: boolean): (code: number) => boolean {
  const ranges = joined(rangesOf(members))
  const ascii = Array.from({ length: asciiCodes }, (_, code) => isWithin(ranges, code) !== isNegated)
  return (code) => ascii[code] ?? isWithin(ranges, code) !== isNegated
}

type Range = [first: number, last: number]

function rangesOf(members: string): Range[] {
  const ranges: Range[] = []
  for (let at = 0; at < members.length; at += 1) {
    const first = members.charCodeAt(at)
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([first, isRange ? members.charCodeAt(at + 2) : first])
    if (isRange) at += 2
  }
  return ranges
}

/** Sorted, and none touches another. */
function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = []
  for (const [first, last] of ranges.toSorted(([a], [b]) => a - b)) {
    const before = result.at(-1)
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else if (first <= last) result.push([first, last])
  }
  return result
}

/** Halves the ranges: 256 characters have at most eight such steps. */
function isWithin(ranges: readonly Range[], code: number): boolean {
  let [from, to] = [0, ranges.length]
  while (from < to) {
    const middle = (from + to) >>> 1
    const [first = 0, last = 0] = ranges[middle] ?? []
    if (code < first) to = middle
    else if (code > last) from = middle + 1
    else return true
  }
  return false
}

function matches(parts: readonly Part[], text: string, budget: Budget): boolean {
  let part = 0
  let at = 0
  /** Where the last star stands, and how far it reaches. */
  let star = -1
  let reached = 0
  while (at < text.length) {
    budget.steps -= 1
    if (budget.steps < 0) return false
    const wanted = parts[part]
    if (wanted === '*') {
      star = part
      reached = at
      part += 1
    } else if (wanted?.(text.charCodeAt(at))) {
      part += 1
      at += 1
    } else if (star >= 0) {
      reached += 1
      part = star + 1
      at = reached
    } else return false
  }
  while (parts[part] === '*') part += 1
  return part === parts.length
}
