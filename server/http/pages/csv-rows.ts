/** Rows of CSV (RFC 4180), at most `rows` of them with at most `columns` fields; `text` may end anywhere. */
export function csvRows(text: string, { rows, columns }: { rows: number; columns: number }): string[][] {
  const found: string[][] = []
  let row: string[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length && found.length < rows) {
    const { field, end } = text[at] === '"' ? quoted(text, at + 1) : plain(text, at)
    if (row.length < columns) row.push(field)
    const separator = text[end]
    at = end + 1
    if (separator === ',') {
      if (at === text.length) row.push('')
      continue
    }
    if (separator === '\r' && text[at] === '\n') at += 1
    found.push(row)
    row = []
  }
  if (row.length > 0 && found.length < rows) found.push(row)
  return found
}

function plain(text: string, start: number): { field: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { field: text.slice(start, end), end }
}

/** Two quotes inside stand for one; what follows the closing quote up to the separator belongs to the field. */
function quoted(text: string, start: number): { field: string; end: number } {
  let close = text.indexOf('"', start)
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2)
  if (close < 0) return { field: text.slice(start).replaceAll('""', '"'), end: text.length }
  const rest = plain(text, close + 1)
  return { field: text.slice(start, close).replaceAll('""', '"') + rest.field, end: rest.end }
}
