import { escapeControls } from './escape-controls.ts'

/** A table with headings. Cells contain foreign text, so they are escaped. */
export function table(headings: string[], rows: string[][]): string {
  const safe = [headings, ...rows].map((row) => row.map((cell) => escapeControls(cell)))
  const widths = headings.map((_, column) => Math.max(...safe.map((row) => (row[column] ?? '').length)))
  const line = (row: string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return safe.map((row) => `${line(row)}\n`).join('')
}
