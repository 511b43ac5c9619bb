import { spansOf, textOf } from './ansi-line.ts'
import { rowStarts } from './columns.ts'
import { type LineIndex, shownLineBytes } from './line-index.ts'
import { plainGraphics } from './sgr.ts'

/*
 * The rows of a log as the view counts them: all lines or those that match, each one row, or as many as it has when it is wrapped.
 */

/** Which lines there are. */
export interface ChosenLines {
  readonly count: number
  lineAt: (position: number) => number
  /** The position of the line, or of the next one that is chosen. */
  positionOf: (line: number) => number
}

export const allLines = (index: LineIndex): ChosenLines => ({
  get count() {
    return index.lines
  },
  lineAt: (position) => position,
  positionOf: (line) => line,
})

export const theseLines = (lines: readonly number[]): ChosenLines => ({
  get count() {
    return lines.length
  },
  lineAt: (position) => lines[position] ?? 0,
  positionOf: (line) => firstAtLeast(lines, line, lines.length),
})

/** The position of the first of `count` ascending numbers that is at least `wanted`; `count` if there is none. */
export function firstAtLeast(ascending: ArrayLike<number>, wanted: number, count: number): number {
  let [low, high] = [0, count]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? Infinity) < wanted) low = middle + 1
    else high = middle
  }
  return low
}

/** A row: a line, and which of its parts. */
export interface RowOrigin {
  line: number
  part: number
}

export interface LogRows {
  readonly count: number
  at: (row: number) => RowOrigin
  /** The first row of the line. */
  rowOf: (line: number) => number
  /** Counts more rows, if there are; false when all are counted. */
  extend: () => boolean
}

export const rowsOfLines = (lines: ChosenLines): LogRows => ({
  get count() {
    return lines.count
  },
  at: (row) => ({ line: lines.lineAt(row), part: 0 }),
  rowOf: lines.positionOf,
  extend: () => false,
})

const extendedLines = 16 * 1024

/** Rows of a width in columns. The last line is counted when it has ended, or the log has. */
export class WrappedRows implements LogRows {
  readonly #index: LineIndex
  readonly #lines: ChosenLines
  readonly #columns: number
  /** The rows before each position, and at its end all of them. */
  #before = new Uint32Array(1024)
  #counted = 0
  /** The last line when it was counted, which may have grown since. */
  #openBytes = 0

  constructor(index: LineIndex, lines: ChosenLines, columns: number) {
    this.#index = index
    this.#lines = lines
    this.#columns = Math.max(8, columns)
  }

  get count(): number {
    return this.#before[this.#counted] ?? 0
  }

  at(row: number): RowOrigin {
    const position = firstAtLeast(this.#before, row + 1, this.#counted + 1) - 1
    return { line: this.#lines.lineAt(position), part: row - (this.#before[position] ?? 0) }
  }

  rowOf(line: number): number {
    return this.#before[Math.min(this.#lines.positionOf(line), this.#counted)] ?? 0
  }

  extend(): boolean {
    this.#forgetOpenLine()
    const end = Math.min(this.#lines.count, this.#counted + extendedLines)
    if (end + 1 >= this.#before.length) this.#grow(end + 2)
    for (; this.#counted < end; this.#counted += 1) {
      const rows = rowsOf(this.#index, this.#lines.lineAt(this.#counted), this.#columns)
      this.#before[this.#counted + 1] = (this.#before[this.#counted] ?? 0) + rows
    }
    this.#openBytes = this.#index.bytes.length
    return this.#counted < this.#lines.count
  }

  /** A line that had not ended when it was counted is counted again. */
  #forgetOpenLine(): void {
    const last = this.#lines.lineAt(this.#counted - 1)
    if (this.#counted > 0 && this.#index.range(last)[1] >= this.#openBytes) this.#counted -= 1
  }

  #grow(length: number): void {
    const larger = new Uint32Array(Math.max(length, this.#before.length * 2))
    larger.set(this.#before)
    this.#before = larger
  }
}

/** A line of plain characters has as many columns as bytes. */
function rowsOf(index: LineIndex, line: number, columns: number): number {
  const [from, to] = index.range(line)
  const end = Math.min(to, from + shownLineBytes)
  const { view } = index.bytes
  for (let at = from; at < end; at += 1) {
    const byte = view[at] ?? 0
    if (byte < 0x20 || byte > 0x7e) return rowStarts(shownLine(index, line), columns).length
  }
  return Math.max(1, Math.ceil((end - from) / columns))
}

function shownLine(index: LineIndex, line: number): string {
  const [from, to] = index.range(line)
  const text = index.bytes.text(from, Math.min(to, from + shownLineBytes))
  return textOf(spansOf(text, { ...plainGraphics }))
}
