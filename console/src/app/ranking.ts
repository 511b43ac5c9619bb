/** How well a name fits what was typed, better ones first; null if it does not fit. */
export function rankOf(typed: string, name: string): number | null {
  const wanted = typed.trim().toLowerCase()
  const text = name.toLowerCase()
  if (wanted === '' || text.startsWith(wanted)) return 0
  if (text.split(/[\s_./-]+/).some((word) => word.startsWith(wanted))) return 1
  if (text.includes(wanted)) return 2
  return isSubsequence(wanted, text) ? 3 : null
}

function isSubsequence(wanted: string, text: string): boolean {
  let at = 0
  for (const letter of wanted) {
    at = text.indexOf(letter, at) + 1
    if (at === 0) return false
  }
  return true
}

/** The items whose name fits, best first; equally good ones keep their order. */
export const ranked = <T>(typed: string, items: readonly T[], nameOf: (item: T) => string): T[] =>
  items
    .map((item) => ({ item, rank: rankOf(typed, nameOf(item)) }))
    .filter((each): each is { item: T; rank: number } => each.rank !== null)
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
