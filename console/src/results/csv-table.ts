import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { cellsAt, type Separator, separatorOf } from '../parts/csv-cells.ts'

const [columnsMax, cellMax, widthMin, widthMax] = [200, 1000, 6, 40]
const measuredRows = 100

/** A table of text, of which rows are read when they are shown. The first row names the columns. */
export class CsvTable {
  readonly #text: string
  readonly #separator: Separator
  /** Where each row begins, without the heading. */
  readonly #starts: Uint32Array
  /** The rows in the order in which they are shown; undefined: as they are. */
  #order: Uint32Array | undefined
  readonly columns: string[]
  /** In characters, by the first rows. */
  readonly widths: number[]

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '')
    this.#separator = separatorOf(this.#text)
    const starts = rowStarts(this.#text, this.#separator)
    this.columns = (starts.length > 0 ? this.#cells(0) : []).slice(0, columnsMax).map(shown)
    this.#starts = starts.subarray(1)
    this.widths = this.columns.map((name, column) => this.#widthOf(name, column))
  }

  get count(): number {
    return this.#starts.length
  }

  #cells(start: number): string[] {
    return cellsAt(this.#text, start, this.#separator).cells
  }

  #row(position: number): string[] {
    return this.#cells(this.#starts[this.#order?.[position] ?? position] ?? 0)
  }

  rows(first: number, end: number): string[][] {
    const last = Math.min(end, this.count)
    return Array.from({ length: Math.max(0, last - first) }, (_, at) =>
      this.#row(first + at)
        .slice(0, columnsMax)
        .map(shown),
    )
  }

  #widthOf(name: string, column: number): number {
    const cells = this.rows(0, measuredRows).map((row) => (row[column] ?? '').length)
    return Math.min(widthMax, Math.max(widthMin, name.length, ...cells))
  }

  /** Numbers by their size if all cells of the column are some or empty, text by the alphabet. Equal rows keep their order. */
  sort(column: number | undefined, isDescending: boolean): void {
    if (column === undefined) {
      this.#order = undefined
      return
    }
    const cells = Array.from(this.#starts, (start) => this.#cells(start)[column] ?? '')
    const numbers = cells.map((cell) => (cell.trim() === '' ? Number.NEGATIVE_INFINITY : Number(cell)))
    const compare = numbers.some(Number.isNaN)
      ? (one: number, other: number) => compareTexts(cells[one] ?? '', cells[other] ?? '')
      : (one: number, other: number) => (numbers[one] ?? 0) - (numbers[other] ?? 0) || 0
    const order = Uint32Array.from(cells.keys())
    const sign = isDescending ? -1 : 1
    this.#order = order.sort((one, other) => sign * compare(one, other) || one - other)
  }
}

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

const shown = (cell: string): string => plainText(cell.length > cellMax ? `${cell.slice(0, cellMax)}…` : cell)

/** The start of each row. Only a quoted cell has to be read; all others end where a line does. */
function rowStarts(text: string, separator: Separator): Uint32Array {
  let starts = new Uint32Array(1024)
  let count = 0
  for (let at = 0; at < text.length; count += 1) {
    if (count === starts.length) {
      const larger = new Uint32Array(count * 2)
      larger.set(starts)
      starts = larger
    }
    starts[count] = at
    const lineEnd = text.indexOf('\n', at)
    const quote = text.indexOf('"', at)
    const isSimple = lineEnd >= 0 && (quote < 0 || quote > lineEnd)
    at = isSimple ? lineEnd + 1 : cellsAt(text, at, separator).next
  }
  return starts.slice(0, count)
}
