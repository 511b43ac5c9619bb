import { Store } from '../data/store.ts'
import type {
  Arrangement,
  LogAnswers,
  LogQuestion,
  LogReply,
  LogRequest,
  LogRow,
  LogState,
  SearchState,
} from './log-messages.ts'
import { blockRows } from './log-messages.ts'
import type { LogQuery } from './log-search.ts'
import type { LogSink } from './log-source.ts'

/** The part of a worker that the page uses. */
export interface LogWorker {
  postMessage: (request: LogRequest, moved: Transferable[]) => void
  onmessage: ((event: MessageEvent<LogReply>) => void) | null
  terminate: () => void
}

export interface LogSnapshot {
  state: LogState
  /** The log could not be read. */
  failure: unknown
  /** The log goes on, and cannot be followed at the moment. */
  isInterrupted: boolean
  /** The last expression took too long and was given up. */
  isTooSlow: boolean
  /** Undefined if nothing is searched. */
  found: SearchState | undefined
  /** Counts the blocks that have come. */
  drawn: number
}

interface Block {
  rows: LogRow[]
  finalRows: number
  /** The state of the log when its rows were drawn; undefined if they are of an earlier arrangement or search. */
  drawnAt: LogState | undefined
}

/** Fills a log until the signal is aborted. */
export type LoadLog = (sink: LogSink, signal: AbortSignal) => Promise<void>

const blocksMax = 64
/** How long a worker with a regular expression may answer nothing. */
const expressionMs = 2000
const nothing: LogState = { rows: 0, lines: 0, bytes: 0, isWhole: false, isTail: false }

const nothingShown: LogSnapshot = {
  ...{ state: nothing, found: undefined, drawn: 0 },
  ...{ failure: undefined, isInterrupted: false, isTooSlow: false },
}

/** The page's side of a log: what is shown now, and requests for what is missing. */
export class LogClient implements LogSink {
  readonly #makeWorker: () => LogWorker
  readonly #load: LoadLog
  #worker: LogWorker | undefined
  #loading = new AbortController()
  #arrangement: Arrangement = { onlyMatching: false }
  #watch: ReturnType<typeof setTimeout> | undefined
  #isExpression = false
  readonly #answers = new Map<number, (value: never) => void>()
  /** Blocks of rows, the most recently used last. */
  readonly #blocks = new Map<number, Block>()
  readonly #asked = new Set<number>()
  readonly shown = new Store(nothingShown)
  #version = 0
  /** The number of the search, if there is one. */
  #search: number | undefined
  #asks = 0

  constructor({ makeWorker, load }: { makeWorker: () => LogWorker; load: LoadLog }) {
    this.#makeWorker = makeWorker
    this.#load = load
  }

  /** Reads the log from its start, with another worker if there is one. */
  readonly start = (): void => {
    this.stop()
    this.#blocks.clear()
    this.#asked.clear()
    this.#version = 0
    this.#worker = this.#makeWorker()
    this.#worker.onmessage = ({ data }) => this.#take(data)
    this.#loading = new AbortController()
    const { signal } = this.#loading
    this.#set({ state: nothing, failure: undefined })
    this.#send({ kind: 'arrange', arrangement: this.#arrangement })
    this.#load(this, signal).catch((failure: unknown) => signal.aborted || this.#set({ failure }))
  }

  readonly stop = (): void => {
    this.#loading.abort()
    this.#endWatch()
    if (this.#worker === undefined) return
    this.#worker.onmessage = null
    this.#worker.terminate()
    this.#worker = undefined
  }

  #send(request: LogRequest, moved: Transferable[] = []): void {
    this.#worker?.postMessage(request, moved)
    if (this.#isExpression) this.#startWatch()
  }

  /** The bytes are moved to the worker. */
  add(chunk: Uint8Array<ArrayBuffer>): void {
    this.#send({ kind: 'bytes', chunk }, [chunk.buffer])
  }

  addTail(chunk: Uint8Array<ArrayBuffer>): void {
    this.#send({ kind: 'tail', chunk }, [chunk.buffer])
  }

  expect(bytes: number): void {
    this.#send({ kind: 'expect', bytes })
  }

  interrupt(isInterrupted: boolean): void {
    if (isInterrupted !== this.shown.get().isInterrupted) this.#set({ isInterrupted })
  }

  end(): void {
    this.#send({ kind: 'end' })
  }

  arrange(arrangement: Arrangement): void {
    this.#arrangement = arrangement
    this.#send({ kind: 'arrange', arrangement })
  }

  search(query: LogQuery | undefined): void {
    this.#asks += 1
    this.#search = query && this.#asks
    const found = query && { lines: new Uint32Array(), isDone: false, isFull: false, isInvalid: false }
    this.#set({ found, isTooSlow: false })
    this.#isExpression = query?.isExpression ?? false
    this.#send({ kind: 'search', id: this.#asks, query })
  }

  /** An expression may take for ever on a line that almost matches. Only the end of its worker ends it. */
  #startWatch(): void {
    this.#watch ??= setTimeout(() => this.#giveUp(), expressionMs)
  }

  #endWatch(): void {
    clearTimeout(this.#watch)
    this.#watch = undefined
  }

  #giveUp(): void {
    this.#isExpression = false
    this.#search = undefined
    this.#set({ found: undefined, isTooSlow: true })
    this.start()
  }

  ask<About extends LogQuestion['about']>(
    question: Extract<LogQuestion, { about: About }>,
  ): Promise<LogAnswers[About]> {
    this.#asks += 1
    const id = this.#asks
    this.#send({ kind: 'ask', id, ...question })
    return new Promise((resolve) => this.#answers.set(id, resolve))
  }

  /** The row as far as it is known. */
  row(index: number): LogRow | undefined {
    return this.#blocks.get(Math.floor(index / blockRows))?.rows[index % blockRows]
  }

  /** Asks for rows that are missing or may have changed, and for the next block in each direction. */
  want(first: number, end: number): void {
    const { rows } = this.shown.get().state
    const last = Math.floor((Math.min(end + blockRows / 2, rows) - 1) / blockRows)
    for (
      let block = Math.max(0, Math.floor((first - blockRows / 2) / blockRows));
      block <= last;
      block += 1
    ) {
      const known = this.#blocks.get(block)
      if (known) this.#keep(block, known)
      const needed = Math.min(end, rows) - block * blockRows
      if (this.#asked.has(block) || (known && this.#isCurrent(known, needed))) continue
      this.#asked.add(block)
      this.#send({ kind: 'rows', block })
    }
  }

  /** Whether the first `needed` rows of a block are those of the present log. */
  #isCurrent({ drawnAt, finalRows }: Block, needed: number): boolean {
    return (
      drawnAt === this.shown.get().state ||
      (drawnAt !== undefined && finalRows >= Math.min(needed, blockRows))
    )
  }

  #keep(at: number, block: Block): void {
    this.#blocks.delete(at)
    this.#blocks.set(at, block)
    const oldest = this.#blocks.keys().next().value
    if (this.#blocks.size > blocksMax && oldest !== undefined) this.#blocks.delete(oldest)
  }

  #take(reply: LogReply): void {
    this.#endWatch()
    switch (reply.kind) {
      case 'state':
        this.#adopt(reply.version)
        this.#set({ state: reply.state })
        return
      case 'rows':
        this.#asked.delete(reply.block)
        this.#keep(reply.block, {
          rows: reply.rows,
          finalRows: reply.finalRows,
          drawnAt: this.shown.get().state,
        })
        this.#set({ drawn: this.shown.get().drawn + 1 })
        return
      case 'found':
        this.#takeFound(reply)
        return
      case 'answer':
        this.#answers.get(reply.id)?.(reply.value as never)
        this.#answers.delete(reply.id)
    }
  }

  #takeFound({ id, found }: Extract<LogReply, { kind: 'found' }>): void {
    if (id !== this.#search) return
    this.#set({ found })
    if (this.#isExpression && !found.isDone) this.#startWatch()
  }

  /** Blocks of an earlier arrangement or search are shown until others have come. */
  #adopt(version: number): void {
    if (version === this.#version) return
    this.#version = version
    this.#asked.clear()
    for (const block of this.#blocks.values()) block.drawnAt = undefined
  }

  #set(part: Partial<LogSnapshot>): void {
    this.shown.set({ ...this.shown.get(), ...part })
  }
}
