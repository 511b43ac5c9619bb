export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'skipped'
  /** Of `skipped`: empty. */
  text: string
  /** Of `skipped`: how many lines are left out. */
  count: number
}

const linesAround = 3
/** Beyond so many differences the texts have little in common: one is shown after the other. */
const differencesMax = 300

/** The lines that were removed and added, each with a few lines around it. Empty for texts that are the same. */
export function lineDiff(before: string, after: string): DiffLine[] {
  if (before === after) return []
  return withoutFarLines(allLines(linesOf(before), linesOf(after)))
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'))
const lineOf = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text, count: 1 })

function allLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let end = 0
  const endMax = Math.min(old.length, now.length) - start
  while (end < endMax && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  return [
    ...old.slice(0, start).map((text) => lineOf('same', text)),
    ...changedLines(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...old.slice(old.length - end).map((text) => lineOf('same', text)),
  ]
}

/** The shortest way from one text to the other (Myers, "An O(ND) Difference Algorithm"). */
function changedLines(old: readonly string[], now: readonly string[]): DiffLine[] {
  const furthest = new Map<number, number>([[1, 0]])
  const steps: Map<number, number>[] = []
  for (let differences = 0; differences <= Math.min(old.length + now.length, differencesMax); differences++) {
    steps.push(new Map(furthest))
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = startOn(furthest, diagonal, differences)
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x++
      furthest.set(diagonal, x)
      if (x >= old.length && x - diagonal >= now.length) return wayBack(steps, old, now)
    }
  }
  return [...old.map((text) => lineOf('removed', text)), ...now.map((text) => lineOf('added', text))]
}

const isAdded = (furthest: Map<number, number>, diagonal: number, differences: number): boolean =>
  diagonal === -differences ||
  (diagonal !== differences && (furthest.get(diagonal - 1) ?? -1) < (furthest.get(diagonal + 1) ?? -1))

const startOn = (furthest: Map<number, number>, diagonal: number, differences: number): number =>
  isAdded(furthest, diagonal, differences)
    ? (furthest.get(diagonal + 1) ?? 0)
    : (furthest.get(diagonal - 1) ?? 0) + 1

function wayBack(steps: readonly Map<number, number>[], old: readonly string[], now: readonly string[]) {
  const lines: DiffLine[] = []
  let x = old.length
  let y = now.length
  for (const [differences, furthest] of [...steps.entries()].toReversed()) {
    const diagonal = x - y
    const isAddition = isAdded(furthest, diagonal, differences)
    const from = isAddition ? diagonal + 1 : diagonal - 1
    const fromX = differences === 0 ? 0 : (furthest.get(from) ?? 0)
    const fromY = differences === 0 ? 0 : fromX - from
    while (x > fromX && y > fromY) {
      lines.push(lineOf('same', old[--x] ?? ''))
      y--
    }
    if (differences === 0) break
    if (isAddition) lines.push(lineOf('added', now[--y] ?? ''))
    else lines.push(lineOf('removed', old[--x] ?? ''))
  }
  return lines.toReversed()
}

/** Leaves out lines that are the same and far from a difference. */
function withoutFarLines(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map(() => false)
  for (const [at, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - linesAround), at + linesAround + 1)
  }
  const shown: DiffLine[] = []
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1)
    if (isNear[at]) shown.push(line)
    else if (last?.kind === 'skipped') last.count++
    else shown.push(lineOf('skipped', ''))
  }
  return shown
}
