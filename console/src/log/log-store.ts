import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { type Span, shownText, textOf } from './ansi-line.ts'
import { rowStarts } from './columns.ts'
import { LineIndex } from './line-index.ts'
import {
  type Arrangement,
  blockRows,
  type LogAnswers,
  type LogQuestion,
  type LogReply,
  type LogRequest,
  type LogRow,
} from './log-messages.ts'
import { allLines, type LogRows, rowsOfLines, theseLines, WrappedRows } from './log-rows.ts'
import { compiledQuery, firstFailure, type LogQuery, LogSearch, marksIn } from './log-search.ts'
import { piecesOf } from './pieces.ts'

const copiedLinesMax = 100_000
const copiedMax = 16 * 1024 * 1024

/** A log, its arrangement in rows and its search. All work is in slices, so that requests are answered while it goes on. */
export class LogStore {
  #whole = new LineIndex()
  /** The last bytes of the log, shown until the whole is here. */
  #tail: LineIndex | undefined
  #isTailCut = false
  #isEnded = false
  #arrangement: Arrangement = { onlyMatching: false }
  #rows: LogRows = rowsOfLines(allLines(this.#whole))
  #search: LogSearch | undefined
  #pattern: RegExp | undefined
  #searchId = 0
  #version = 0

  /** Takes a request and returns what to reply at once. */
  take(request: LogRequest): LogReply[] {
    switch (request.kind) {
      case 'bytes':
        this.#whole.add(request.chunk)
        return []
      case 'expect':
        this.#whole.bytes.reserve(request.bytes)
        return []
      case 'tail':
        this.#addTail(request.chunk)
        return []
      case 'end':
        this.#end()
        return [this.#state()]
      case 'arrange':
        this.#arrangement = request.arrangement
        this.#arrange()
        return [this.#state()]
      case 'search':
        return this.#startSearch(request)
      case 'rows':
        return [this.#block(request.block)]
      case 'ask':
        return [{ kind: 'answer', id: request.id, value: this.#answer(request) }]
    }
  }

  get #index(): LineIndex {
    return this.#tail ?? this.#whole
  }

  #addTail(chunk: Uint8Array): void {
    if (this.#isEnded) return
    if (this.#tail === undefined) {
      this.#tail = new LineIndex()
      this.#isTailCut = false
      this.#arrange()
    }
    // The first line of the tail may begin before it.
    const start = this.#isTailCut ? 0 : chunk.indexOf(10) + 1
    this.#isTailCut = true
    this.#tail.add(chunk.subarray(start))
  }

  #end(): void {
    this.#isEnded = true
    if (this.#tail === undefined) return
    this.#tail = undefined
    this.#arrange()
  }

  #arrange(): void {
    this.#version += 1
    const { columns, onlyMatching } = this.#arrangement
    const lines = onlyMatching && this.#search ? theseLines(this.#search.lines) : allLines(this.#index)
    this.#rows = columns === undefined ? rowsOfLines(lines) : new WrappedRows(this.#index, lines, columns)
    this.#rows.extend()
  }

  #startSearch({ id, query }: { id: number; query: LogQuery | undefined }): LogReply[] {
    this.#searchId = id
    this.#pattern = query && compiledQuery(query)
    this.#search = query && this.#pattern && new LogSearch(this.#whole, { ...query, pattern: this.#pattern })
    this.#arrange()
    const isInvalid = query !== undefined && this.#pattern === undefined
    return [this.#state(), this.#found(isInvalid)]
  }

  /** Does the next slice of work; false if there is none. */
  work(): boolean {
    const isExtended = this.#rows.extend()
    this.#search?.continue({ isWhole: this.#isEnded })
    return isExtended || this.#search?.isDone === false
  }

  /** The changes by work and bytes. */
  report(): LogReply[] {
    return this.#search ? [this.#state(), this.#found(false)] : [this.#state()]
  }

  #state(): LogReply {
    const { lines } = this.#index
    const state = {
      rows: this.#rows.count,
      lines,
      bytes: this.#whole.bytes.length,
      isWhole: this.#isEnded,
      isTail: this.#tail !== undefined,
    }
    return { kind: 'state', state, version: this.#version }
  }

  #found(isInvalid: boolean): LogReply {
    const search = this.#search
    const found = {
      lines: Uint32Array.from(search?.lines ?? []),
      isDone: search?.isDone ?? true,
      isFull: search?.isFull ?? false,
      isInvalid,
    }
    return { kind: 'found', id: this.#searchId, found }
  }

  #block(block: number): LogReply {
    const first = block * blockRows
    const end = Math.min(this.#rows.count, first + blockRows)
    const rows: LogRow[] = []
    let drawn: DrawnLine | undefined
    for (let row = first; row < end; row += 1) {
      const { line, part } = this.#rows.at(row)
      if (drawn?.line !== line) drawn = this.#draw(line, drawn)
      rows.push(this.#rowOf(drawn, part))
    }
    const open = this.#isEnded ? -1 : rows.findIndex(({ line }) => line >= this.#index.wholeLines)
    return { kind: 'rows', block, rows, finalRows: open < 0 ? rows.length : open }
  }

  #draw(line: number, before: DrawnLine | undefined): DrawnLine {
    const graphics = before?.line === line - 1 ? before.graphics : this.#index.graphicsAt(line)
    const { spans, cutBytes } = this.#index.shown(line, graphics)
    const text = textOf(spans)
    const { columns } = this.#arrangement
    return {
      ...{ line, spans, graphics, cutBytes },
      marks: this.#pattern ? marksIn(text, this.#pattern) : [],
      starts: [...(columns === undefined ? [0] : rowStarts(text, columns)), text.length],
    }
  }

  #rowOf({ line, spans, marks, starts, cutBytes }: DrawnLine, part: number): LogRow {
    const [from = 0, to = from] = starts.slice(part, part + 2)
    const isLast = part >= starts.length - 2
    return {
      ...{ line, part, pieces: piecesOf(spans, marks, [from, to]) },
      ...(isLast && cutBytes !== undefined && { cutBytes }),
    }
  }

  #answer(question: LogQuestion): LogAnswers[LogQuestion['about']] {
    switch (question.about) {
      case 'row_of':
        return this.#rows.rowOf(question.line)
      case 'first_failure':
        return firstFailure(this.#whole)
      case 'text':
        return this.#text(question)
    }
  }

  #text({ first, last }: { first: number; last: number }): string {
    const end = Math.min(last + 1, first + copiedLinesMax, this.#index.lines)
    if (end <= first) return ''
    const [from] = this.#index.range(first)
    const to = Math.min(this.#index.range(end - 1)[1], from + copiedMax)
    return shownText(this.#index.bytes.text(from, to)).split('\n').map(plainText).join('\n')
  }
}

interface DrawnLine {
  line: number
  spans: Span[]
  graphics: ReturnType<LineIndex['graphicsAt']>
  marks: number[]
  /** The start of each of its rows, and its end. */
  starts: number[]
  cutBytes: number | undefined
}
