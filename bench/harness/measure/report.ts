import type { Row } from './row.ts'

/** The last line of `--json`. */
export interface Summary {
  suite: 'bench'
  cases: number
  /** Rows whose bar was not met. */
  failed: number
}

export const summaryOf = (rows: readonly Row[]): Summary => ({
  suite: 'bench',
  cases: rows.length,
  failed: rows.filter((row) => row.met === false).length,
})

export const jsonLines = (rows: readonly Row[]): string =>
  [...rows, summaryOf(rows)].map((line) => `${JSON.stringify(line)}\n`).join('')

const titles = [
  'benchmark',
  'p50 ms',
  'p99 ms',
  'per s',
  'cpu ms',
  'peer',
  'peer ms',
  'peer per s',
  'cpu ms',
  'ratio',
  'reach',
  'met',
]

/** The rows for a reader: a table, the floors, and the notes. */
export function tableText(rows: readonly Row[]): string {
  const lines = [aligned([titles, ...rows.map(cellsOf)])]
  const floors = new Map(rows.flatMap((row) => Object.entries(row.floor)))
  if (floors.size > 0)
    lines.push('', 'Floor, median ms:', aligned([...floors].map(([name, ms]) => [`  ${name}`, text(ms)])))
  const notes = new Set(rows.flatMap((row) => row.notes))
  if (notes.size > 0) lines.push('', ...[...notes].map((note) => `- ${note}`))
  const { cases, failed } = summaryOf(rows)
  return `${[...lines, '', `${cases} rows, ${failed} with a bar that is not met`].join('\n')}\n`
}

const cellsOf = (row: Row): string[] => [
  row.name,
  ...[row.ours?.p50_ms, row.ours?.p99_ms, row.ours?.rate, row.cpu_ms.ours].map(text),
  row.peer,
  ...[row.peer_ms, row.peer_rate, row.cpu_ms.peer, row.ratio].map(text),
  row.reach ?? '',
  row.met === null ? '' : row.met ? 'yes' : 'no',
]

const text = (value: number | null | undefined): string => (value == null ? '-' : value.toFixed(2))

const numeric = /^(-|-?\d[\d.]*)$/

/** Columns of equal width; columns of numbers are aligned right. */
export function aligned(lines: readonly string[][]): string {
  const widths: number[] = []
  for (const line of lines) {
    for (const [at, cell] of line.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  }
  const toRight = widths.map((_, at) => lines.slice(1).every((line) => numeric.test(line[at] ?? '')))
  const padded = (cell: string, at: number) =>
    toRight[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)
  return lines.map((line) => line.map(padded).join('  ').trimEnd()).join('\n')
}
