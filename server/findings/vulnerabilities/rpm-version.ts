/*
 * The order of rpm versions, `[epoch:]version-release`, as in rpm. Runs of digits are compared as numbers and are
 * newer than letters. Other characters only separate parts. `~` is older than the end and `^` is newer.
 */

/** Negative if `a` is older than `b`. Releases are compared only if both versions have one. */
export function compareRpmVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)]
  return (
    left.epoch - right.epoch ||
    compareParts(left.version, right.version) ||
    (left.release === '' || right.release === '' ? 0 : compareParts(left.release, right.release))
  )
}

function parse(text: string): { epoch: number; version: string; release: string } {
  const [, epoch = '0', version = text, release = ''] = /^(?:(\d{1,9}):)?([^-]*)(?:-(.*))?$/s.exec(text) ?? []
  return { epoch: Number(epoch), version, release }
}

/** Ranks of the kinds of parts. The end of a version is also a kind. */
const order = { '~': 0, end: 1, '^': 2, letters: 3, digits: 4 }
type Kind = keyof typeof order

interface Part {
  kind: Kind
  text: string
}

function compareParts(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let at = 0; ; at += 1) {
    const [one, other] = [left[at] ?? end, right[at] ?? end]
    const found = order[one.kind] - order[other.kind] || compareTexts(one, other)
    if (found !== 0 || one.kind === 'end') return found
  }
}

const end: Part = { kind: 'end', text: '' }

const partsOf = (text: string): Part[] =>
  (text.match(/\d+|[A-Za-z]+|~|\^/g) ?? []).map((part) => ({ kind: kindOf(part), text: part }))

function kindOf(part: string): Kind {
  if (part === '~' || part === '^') return part
  return /^\d/.test(part) ? 'digits' : 'letters'
}

/** Numbers may have any length, so they are compared as text. */
function compareTexts({ kind, text }: Part, other: Part): number {
  const [a, b] =
    kind === 'digits' ? [text.replace(/^0+/, ''), other.text.replace(/^0+/, '')] : [text, other.text]
  const byLength = kind === 'digits' ? a.length - b.length : 0
  return byLength || (a < b ? -1 : a > b ? 1 : 0)
}
