import type { Span } from './ansi-line.ts'
import type { Piece } from './log-messages.ts'

/** The spans of a line from `from` until before `to`, divided where a match begins or ends. `marks` are starts and ends by turns. */
export function piecesOf(
  spans: readonly Span[],
  marks: readonly number[],
  [from, to]: readonly [number, number],
): Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let next = 0
  for (const { text, graphics } of spans) {
    const end = start + text.length
    for (let at = start; at < end; ) {
      while (next < marks.length && (marks[next] ?? 0) <= at) next += 1
      const edge = Math.min(end, marks[next] ?? end)
      const shown = text.slice(Math.max(at, from) - start, Math.max(0, Math.min(edge, to) - start))
      if (shown !== '' && at < to && edge > from) {
        pieces.push({ text: shown, ...(graphics && { graphics }), ...(next % 2 === 1 && { isMatch: true }) })
      }
      at = edge
    }
    start = end
  }
  return pieces
}
