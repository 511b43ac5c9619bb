/*
 * Patterns of file names as a shell has them: `*` is any text, slashes too, `?` one character, `[a-z]` and `[!a]` one of some. A
 * tenant's pattern is compared with a tenant's names, so the work is bounded: at a star the comparison goes back to the last one
 * only, and a budget is shared by all comparisons of a request.
 */

export const patternMaxLength = 256

type Part = '*' | ((char: string) => boolean)

interface Budget {
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
    else parts.push(char === '?' ? () => true : (given) => given === char)
    at += found ? found[0].length : 1
  }
  return parts
}

function oneOf(members: string, isNegated: boolean): (char: string) => boolean {
  const ranges: [string, string][] = []
  for (let at = 0; at < members.length; at += 1) {
    const first = members[at] ?? ''
    const isRange = members[at + 1] === '-' && at + 2 < members.length
    ranges.push([first, isRange ? (members[at + 2] ?? '') : first])
    if (isRange) at += 2
  }
  return (char) => ranges.some(([first, last]) => first <= char && char <= last) !== isNegated
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
    } else if (wanted?.(text[at] ?? '')) {
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
