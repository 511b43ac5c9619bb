import { shownText } from './ansi-line.ts'
import type { LineIndex } from './line-index.ts'

/** Text to look for, or a regular expression without its slashes; case is ignored. */
export interface LogQuery {
  text: string
  isExpression: boolean
}

/** More lines than this are counted as "more than". */
export const matchingLinesMax = 200_000

const sliceLines = 2048

/** Undefined if the expression is none. */
export function compiledQuery({ text, isExpression }: LogQuery): RegExp | undefined {
  try {
    return new RegExp(isExpression ? text : escaped(text), 'gi')
  } catch {
    return undefined
  }
}

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

/** The lines of a log that match, found in slices, also while the log grows. */
export class LogSearch {
  readonly #index: LineIndex
  readonly #pattern: RegExp
  readonly #isExpression: boolean
  readonly lines: number[] = []
  #next = 0

  constructor(index: LineIndex, query: LogQuery & { pattern: RegExp }) {
    this.#index = index
    this.#pattern = query.pattern
    this.#isExpression = query.isExpression
  }

  /** All lines that have ended are searched. */
  get isDone(): boolean {
    return this.isFull || this.#next >= this.#index.wholeLines
  }

  get isFull(): boolean {
    return this.lines.length >= matchingLinesMax
  }

  /** Searches the next slice. `isWhole`: also the last line, which ends with the log. */
  continue({ isWhole }: { isWhole: boolean }): void {
    const last = isWhole ? this.#index.lines : this.#index.wholeLines
    const end = Math.min(last, this.#next + sliceLines)
    if (this.isFull || end <= this.#next) return
    const text = shownText(this.#index.textOf(this.#next, end))
    if (this.#isExpression) this.#testEach(text)
    else this.#find(text)
    this.lines.length = Math.min(this.lines.length, matchingLinesMax)
    this.#next = end
  }

  /** Text has no line feed in it, so that all lines are searched at once. */
  #find(text: string): void {
    let line = this.#next
    let lineEnd = text.indexOf('\n')
    this.#pattern.lastIndex = 0
    for (let found = this.#pattern.exec(text); found; found = this.#pattern.exec(text)) {
      for (; lineEnd >= 0 && lineEnd < found.index; lineEnd = text.indexOf('\n', lineEnd + 1)) line += 1
      this.lines.push(line)
      if (lineEnd < 0) return
      this.#pattern.lastIndex = lineEnd + 1
    }
  }

  #testEach(text: string): void {
    for (const [at, line] of text.split('\n').entries()) {
      this.#pattern.lastIndex = 0
      if (this.#pattern.test(line)) this.lines.push(this.#next + at)
    }
  }
}

const marksMax = 100

/** Where the pattern matches in a line: starts and ends by turns. */
export function marksIn(line: string, pattern: RegExp): number[] {
  const marks: number[] = []
  pattern.lastIndex = 0
  for (const found of line.matchAll(pattern)) {
    if (found[0] === '') continue
    marks.push(found.index, found.index + found[0].length)
    if (marks.length >= 2 * marksMax) break
  }
  return marks
}

const failure = /error|exception|traceback|fatal|panic/i

/** The first line with a word for a failure. */
export function firstFailure(index: LineIndex): number | undefined {
  for (let first = 0; first < index.lines; first += sliceLines) {
    const text = shownText(index.textOf(first, Math.min(index.lines, first + sliceLines)))
    const found = failure.exec(text)
    if (found) return first + text.slice(0, found.index).split('\n').length - 1
  }
  return undefined
}
