import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { threadTimeMs } from './thread-time.ts'
import type { Question, Verdict } from './verdict.ts'

export interface SchemaThreadBounds {
  /** Processor time that one question may take once the thread is up. */
  answerMs: number
  /** Time on the clock after which the machine is to blame. */
  patienceMs: number
  startMs: number
  heapMib: number
  /** Questions that may wait, of one lane and of all. */
  laneWaitingMax: number
  waitingMax: number
}

export const defaultBounds: SchemaThreadBounds = {
  answerMs: 2000,
  patienceMs: 20_000,
  startMs: 20_000,
  heapMib: 192,
  laneWaitingMax: 64,
  waitingMax: 512,
}

interface Running {
  worker: Worker
  /** As the kernel names it. */
  thread: string
}

interface Waiting {
  question: Question
  resolve: (verdict: Verdict) => void
  reject: (error: Error) => void
}

/**
 * One thread that judges tenants' schemas, killed and started anew when an answer takes too much processor time or
 * memory: a recursion without end, or a regular expression that looks around and backtracks for ever, costs its author
 * `answerMs` and nobody else's request. Where other work leaves the thread no processor, that is told as `busy` and not
 * held against who asks.
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
  readonly #timeOf: typeof threadTimeMs
  #running: Running | undefined

  constructor(bounds: Partial<SchemaThreadBounds> = {}, timeOf = threadTimeMs) {
    this.#bounds = { ...defaultBounds, ...bounds }
    this.#timeOf = timeOf
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
    await this.#running?.worker.terminate()
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
    this.#running?.worker.unref()
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
    const running = this.#running ?? (await this.#start())
    const { worker } = running
    worker.ref()
    const answered = new AbortController()
    const reply = nextMessage<Verdict>(worker, answered.signal)
    worker.postMessage(question)
    try {
      return await Promise.race([reply, this.#timeUp(running, answered.signal)])
    } catch (error) {
      this.#running = undefined
      await worker.terminate()
      if (error instanceof Starved) return { kind: 'busy' }
      if (isOverBounds(error)) return { kind: 'too_costly' }
      throw error
    } finally {
      answered.abort()
    }
  }

  /** Rejects when the thread has had its time, or long enough none. */
  async #timeUp({ thread }: Running, answered: AbortSignal): Promise<never> {
    const { answerMs, patienceMs } = this.#bounds
    const usedBefore = this.#timeOf(thread)
    const askedAt = performance.now()
    // None of it is used yet: a question that is answered soon costs one look at the thread.
    for (let leftMs = answerMs; leftMs > 0; leftMs = answerMs - (this.#timeOf(thread) - usedBefore)) {
      const patienceLeftMs = patienceMs - (performance.now() - askedAt)
      if (patienceLeftMs <= 0) throw new Starved()
      await sleep(Math.min(leftMs, patienceLeftMs), undefined, { signal: answered })
    }
    throw new TooSlow()
  }

  async #start(): Promise<Running> {
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
      const thread = await nextMessage<string>(worker, AbortSignal.timeout(this.#bounds.startMs))
      this.#running = { worker, thread }
      return this.#running
    } catch (error) {
      await worker.terminate()
      throw new Error('the thread that checks schemas does not start', { cause: error })
    }
  }

  #forget(worker: Worker): void {
    if (this.#running?.worker === worker) this.#running = undefined
  }
}

class TooSlow extends Error {}
class Starved extends Error {}

const isOverBounds = (error: unknown): boolean =>
  error instanceof TooSlow ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')

/** Rejects when the thread ends before, or with the signal's reason. */
function nextMessage<Message>(worker: Worker, until: AbortSignal): Promise<Message> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      until.removeEventListener('abort', onAbort)
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      act()
    }
    const onMessage = (message: Message) => settle(() => resolve(message))
    const onError = (error: unknown) => settle(() => reject(error))
    const onExit = () => settle(() => reject(new Error('the thread that checks schemas has ended')))
    const onAbort = () => settle(() => reject(until.reason))
    until.addEventListener('abort', onAbort)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
  })
}
