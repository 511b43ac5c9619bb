/*
 * The order of rpm's versions, `[epoch:]version-release`, as rpm has it: runs of digits are compared as numbers and are
 * newer than letters, other characters only part them, `~` is older than the end and `^` newer than it.
 */

/** Below zero when `a` is older than `b`. A release counts where both have one. */
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

/** Parts by their kind; the end of a version is one too. */
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

/** Numbers of any length, so not as numbers. */
function compareTexts({ kind, text }: Part, other: Part): number {
  const [a, b] =
    kind === 'digits' ? [text.replace(/^0+/, ''), other.text.replace(/^0+/, '')] : [text, other.text]
  const byLength = kind === 'digits' ? a.length - b.length : 0
  return byLength || (a < b ? -1 : a > b ? 1 : 0)
}
