/**
 * Where a text holds a target, from left to right and without overlaps. The work is proportional to the length of both (Knuth,
 * Morris and Pratt): that of `indexOf` is to their product, which a tenant who chooses both can make minutes.
 */
export function* occurrencesOf(target: string, text: string): Generator<number, void> {
  if (target.length > text.length) return
  const borders = bordersOf(target)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    while (matched > 0 && target.charCodeAt(matched) !== code) matched = borders[matched - 1] ?? 0
    if (target.charCodeAt(matched) === code) matched += 1
    if (matched < target.length) continue
    yield at + 1 - target.length
    matched = 0
  }
}

/** By position: the length of the longest start of the target that ends there too, and is not all up to there. */
function bordersOf(target: string): Int32Array {
  const borders = new Int32Array(target.length)
  let length = 0
  for (let at = 1; at < target.length; at += 1) {
    const code = target.charCodeAt(at)
    while (length > 0 && target.charCodeAt(length) !== code) length = borders[length - 1] ?? 0
    if (target.charCodeAt(length) === code) length += 1
    borders[at] = length
  }
  return borders
}
