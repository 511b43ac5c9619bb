import { Worker } from 'node:worker_threads'
import type { Question, Verdict } from './verdict.ts'

export interface SchemaThreadBounds {
  /** Time one question may take once the thread is up. */
  answerMs: number
  startMs: number
  heapMib: number
  /** Questions that may wait, of one lane and of all. */
  laneWaitingMax: number
  waitingMax: number
}

const defaultBounds: SchemaThreadBounds = {
  answerMs: 2000,
  startMs: 20_000,
  heapMib: 192,
  laneWaitingMax: 64,
  waitingMax: 512,
}

interface Waiting {
  question: Question
  resolve: (verdict: Verdict) => void
  reject: (error: Error) => void
}

/**
 * One thread that judges tenants' schemas, killed and started anew when an answer takes too long or too much
 * memory: a regular expression that backtracks for ever costs its author `answerMs` and nobody else's request.
 *
 * One question runs at a time. Each company waits in a lane of its own and the lanes take turns, so that who
 * sends many expensive questions waits behind himself; what exceeds the bounds of waiting is told `busy`.
 * The thread does not keep the process alive, and has neither environment nor standard input.
 */
export class SchemaThread {
  readonly #bounds: SchemaThreadBounds
  readonly #lanes = new Map<string, Waiting[]>()
  #waiting = 0
  #working = false
  #worker: Worker | undefined

  constructor(bounds: Partial<SchemaThreadBounds> = {}) {
    this.#bounds = { ...defaultBounds, ...bounds }
  }

  /** `lane` is who asks: a company. Rejects only when the thread itself cannot work. */
  ask(lane: string, question: Question): Promise<Verdict> {
    const queue = this.#lanes.get(lane) ?? []
    if (queue.length >= this.#bounds.laneWaitingMax || this.#waiting >= this.#bounds.waitingMax) {
      return Promise.resolve({ kind: 'busy' })
    }
    return new Promise((resolve, reject) => {
      queue.push({ question, resolve, reject })
      this.#lanes.set(lane, queue)
      this.#waiting += 1
      if (!this.#working) void this.#work()
    })
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }

  async #work(): Promise<void> {
    this.#working = true
    for (let next = this.#next(); next; next = this.#next()) {
      try {
        next.resolve(await this.#answer(next.question))
      } catch (error) {
        next.reject(error instanceof Error ? error : new Error(String(error)))
      }
    }
    this.#working = false
    this.#worker?.unref()
  }

  /** The oldest question of the lane whose turn it is; the lane goes to the end. */
  #next(): Waiting | undefined {
    const [lane, queue] = this.#lanes.entries().next().value ?? []
    if (lane === undefined || queue === undefined) return undefined
    this.#lanes.delete(lane)
    const next = queue.shift()
    if (queue.length > 0) this.#lanes.set(lane, queue)
    if (next) this.#waiting -= 1
    return next
  }

  async #answer(question: Question): Promise<Verdict> {
    const worker = this.#worker ?? (await this.#start())
    worker.ref()
    const reply = nextMessage<Verdict>(worker, this.#bounds.answerMs)
    worker.postMessage(question)
    try {
      return await reply
    } catch (error) {
      this.#worker = undefined
      await worker.terminate()
      if (isOverBounds(error)) return { kind: 'too_costly' }
      throw error
    }
  }

  async #start(): Promise<Worker> {
    const worker = new Worker(new URL('./schema-worker.ts', import.meta.url), {
      env: {},
      execArgv: [],
      stdin: false,
      resourceLimits: { maxOldGenerationSizeMb: this.#bounds.heapMib, stackSizeMb: 4 },
    })
    // An error that nobody waits for ends the thread only; the next question starts another.
    worker.on('error', () => this.#forget(worker))
    worker.on('exit', () => this.#forget(worker))
    try {
      await nextMessage(worker, this.#bounds.startMs)
    } catch (error) {
      await worker.terminate()
      throw new Error('the thread that checks schemas does not start', { cause: error })
    }
    this.#worker = worker
    return worker
  }

  #forget(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined
  }
}

class TooSlow extends Error {}

const isOverBounds = (error: unknown): boolean =>
  error instanceof TooSlow ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')

function nextMessage<Message>(worker: Worker, withinMs: number): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      act()
    }
    const onMessage = (message: Message) => settle(() => resolve(message))
    const onError = (error: unknown) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('the thread that checks schemas has ended')))
    const timer = setTimeout(() => settle(() => reject(new TooSlow())), withinMs)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
