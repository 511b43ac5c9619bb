/*
 * Text with cells: CSV and TSV as programs write them (RFC 4180), where a quoted cell may have separators and line ends in it.
 */

export type Separator = ',' | ';' | '\t'

const separators: readonly Separator[] = [',', ';', '\t']

/** The separator that the first line has most of. */
export function separatorOf(text: string): Separator {
  const line = text.slice(0, 10_000).split(/\r?\n/, 1)[0] ?? ''
  return separators.reduce((best, one) => (line.split(one).length > line.split(best).length ? one : best))
}

/** The cells of the row that begins at `start`, and where the next one begins. */
export function cellsAt(
  text: string,
  start: number,
  separator: Separator,
): { cells: string[]; next: number } {
  const cells: string[] = []
  let at = start
  for (;;) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at, separator) : plainCell(text, at, separator)
    cells.push(cell)
    if (text[end] !== separator) return { cells, next: text.startsWith('\r\n', end) ? end + 2 : end + 1 }
    at = end + 1
  }
}

/** A quote that does not end its cell stands for itself. */
function quotedCell(text: string, start: number, separator: Separator): { cell: string; end: number } {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return { cell: text.slice(start + 1), end: text.length }
    if (text[quote + 1] === '"') {
      at = quote + 2
      continue
    }
    const rest = plainCell(text, quote + 1, separator)
    return { cell: text.slice(start + 1, quote).replaceAll('""', '"') + rest.cell, end: rest.end }
  }
}

function plainCell(text: string, start: number, separator: Separator): { cell: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { cell: text.slice(start, end), end }
}

/** The rows of a text, at most `rowsMax`. A line end at its end begins no row. */
export function rowsOf(text: string, separator: Separator, rowsMax: number): string[][] {
  const rows: string[][] = []
  for (let at = 0; at < text.length && rows.length < rowsMax; ) {
    const { cells, next } = cellsAt(text, at, separator)
    rows.push(cells)
    at = next
  }
  return rows
}
