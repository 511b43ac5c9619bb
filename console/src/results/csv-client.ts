import { Store } from '../data/store.ts'

export type CsvRequest =
  | { kind: 'open'; bytes: ArrayBuffer }
  | { kind: 'rows'; block: number; first: number; end: number }
  | { kind: 'sort'; column: number | undefined; isDescending: boolean }

export type CsvReply =
  /** The table is open, or has another order. */
  | { kind: 'table'; columns: string[]; widths: number[]; count: number }
  | { kind: 'rows'; block: number; rows: string[][] }

export interface CsvSnapshot {
  /** Undefined until the table is open. */
  table: { columns: string[]; widths: number[]; count: number } | undefined
  blocks: ReadonlyMap<number, string[][]>
}

const blockRows = 200
const blocksMax = 50

/** The page's side of a table that a worker has. */
export class CsvClient {
  readonly #makeWorker: () => Worker
  #worker: Worker | undefined
  readonly shown = new Store<CsvSnapshot>({ table: undefined, blocks: new Map() })
  readonly #asked = new Set<number>()

  constructor(makeWorker: () => Worker) {
    this.#makeWorker = makeWorker
  }

  /** The bytes are copied to the worker; the return value ends it. */
  open(bytes: ArrayBuffer): () => void {
    const worker = this.#makeWorker()
    this.#worker = worker
    worker.onmessage = ({ data }: MessageEvent<CsvReply>) => this.#take(data)
    this.#send({ kind: 'open', bytes })
    return () => worker.terminate()
  }

  #send(request: CsvRequest): void {
    this.#worker?.postMessage(request)
  }

  sort(column: number | undefined, isDescending: boolean): void {
    this.#send({ kind: 'sort', column, isDescending })
  }

  cells(row: number): string[] | undefined {
    return this.shown.get().blocks.get(Math.floor(row / blockRows))?.[row % blockRows]
  }

  want(first: number, end: number): void {
    for (let block = Math.floor(first / blockRows); block * blockRows < end; block += 1) {
      if (this.#asked.has(block)) continue
      this.#asked.add(block)
      this.#send({ kind: 'rows', block, first: block * blockRows, end: (block + 1) * blockRows })
    }
  }

  #take(reply: CsvReply): void {
    if (reply.kind === 'table') {
      const { columns, widths, count } = reply
      this.#asked.clear()
      this.shown.set({ table: { columns, widths, count }, blocks: new Map() })
      return
    }
    const blocks = new Map([...this.shown.get().blocks, [reply.block, reply.rows]])
    const oldest = blocks.keys().next().value
    if (blocks.size > blocksMax && oldest !== undefined) {
      blocks.delete(oldest)
      this.#asked.delete(oldest)
    }
    this.shown.set({ ...this.shown.get(), blocks })
  }
}
