import { rowsOf } from '../parts/csv-cells.ts'

const pastedRowsMax = 100_000

/** The cells of text from a spreadsheet: rows by lines, columns by tabs. */
export const pastedRows = (text: string): string[][] => rowsOf(text, '\t', pastedRowsMax)

/** The lines of a column; undefined if the text is no list. */
export function pastedList(text: string): string[] | undefined {
  const rows = pastedRows(text)
  return rows.length > 1 ? rows.map(([first = '']) => first) : undefined
}
