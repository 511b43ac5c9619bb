/*
 * The order of Debian versions, `[epoch:]upstream[-revision]`, as in dpkg (deb-version(7)). Digit parts are compared
 * as numbers, other parts by character. Letters sort before all other characters, and `~` sorts even before the end.
 */

/** Negative if `a` is older than `b`. */
export function compareDebianVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  return (
    left.epoch - right.epoch ||
    compareParts(left.upstream, right.upstream) ||
    compareParts(left.revision, right.revision)
  )
}

function parse(version: string): { epoch: number; upstream: string; revision: string } {
  const [, epoch, rest = version] = /^(\d{1,9}):(.*)$/s.exec(version) ?? []
  const dash = rest.lastIndexOf('-')
  return {
    epoch: Number(epoch ?? 0),
    upstream: dash === -1 ? rest : rest.slice(0, dash),
    revision: dash === -1 ? '' : rest.slice(dash + 1),
  }
}

function compareParts(a: string, b: string): number {
  let [left, right] = [0, 0]
  while (left < a.length || right < b.length) {
    while (isText(a, left) || isText(b, right)) {
      const order = weight(a, left) - weight(b, right)
      if (order !== 0) return order
      left += 1
      right += 1
    }
    const [number, other] = [digitsAt(a, left), digitsAt(b, right)]
    const order = compareNumbers(number, other)
    if (order !== 0) return order
    left += number.length
    right += other.length
  }
  return 0
}

const digit = /[0-9]/
const letter = /[A-Za-z]/

const isText = (text: string, at: number): boolean => at < text.length && !digit.test(text.charAt(at))

/** The end and digits have weight zero. */
function weight(text: string, at: number): number {
  const character = text.charAt(at)
  if (character === '' || digit.test(character)) return 0
  if (character === '~') return -1
  return letter.test(character) ? character.charCodeAt(0) : character.charCodeAt(0) + 256
}

function digitsAt(text: string, at: number): string {
  let end = at
  while (end < text.length && digit.test(text.charAt(end))) end += 1
  return text.slice(at, end)
}

/** Numbers may have any length, so they are compared as text. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}
