import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { threadTimeMs } from './thread-time.ts'
import type { BodyVerdict, Question, Verdict } from './verdict.ts'

export interface ThreadBounds {
  /** Processor time for one question after the thread has started. */
  answerMs: number
  /** Wall-clock time after which the machine, not the question, is too slow. */
  patienceMs: number
  startMs: number
  heapMib: number
}

interface Running {
  worker: Worker
  /** The kernel's thread id. */
  thread: string
}

export interface Answered {
  verdict: Verdict | BodyVerdict
  /** Processor time that it took, in milliseconds. */
  usedMs: number
}

/**
 * A thread that evaluates tenants' schemas, one question at a time. It is killed and restarted when an answer takes too much
 * processor time or memory: infinite recursion, or a regular expression with lookaround that backtracks without end, costs
 * only its author. If other work leaves the thread no processor time, the result is `busy` and is not charged to the caller.
 *
 * The thread does not keep the process alive, and has neither environment nor standard input.
 */
export class SchemaThread {
  readonly #bounds: ThreadBounds
  readonly #timeOf: typeof threadTimeMs
  #running: Running | undefined

  constructor(bounds: ThreadBounds, timeOf = threadTimeMs) {
    this.#bounds = bounds
    this.#timeOf = timeOf
  }

  async close(): Promise<void> {
    await this.#running?.worker.terminate()
  }

  /** Ask one question at a time. Rejects only if the thread itself cannot work. */
  async answer(question: Question, answerMs: number): Promise<Answered> {
    const running = this.#running ?? (await this.#start())
    const { worker } = running
    worker.ref()
    const answered = new AbortController()
    const reply = nextMessage<Answered>(worker, answered.signal)
    worker.postMessage(question)
    try {
      return await Promise.race([reply, this.#timeUp(running, answerMs, answered.signal)])
    } catch (error) {
      this.#running = undefined
      await worker.terminate()
      if (error instanceof Starved) return { verdict: { kind: 'busy' }, usedMs: error.usedMs }
      if (isOverBounds(error)) return { verdict: { kind: 'too_costly' }, usedMs: answerMs }
      throw error
    } finally {
      answered.abort()
      worker.unref()
    }
  }

  /** Rejects when the thread has used its processor time, or got none for too long. */
  async #timeUp({ thread }: Running, answerMs: number, answered: AbortSignal): Promise<never> {
    const { patienceMs } = this.#bounds
    const usedBefore = this.#timeOf(thread)
    const askedAt = performance.now()
    // Measured lazily: a quick answer costs one measurement of the thread.
    for (let leftMs = answerMs; leftMs > 0; leftMs = answerMs - (this.#timeOf(thread) - usedBefore)) {
      const patienceLeftMs = patienceMs - (performance.now() - askedAt)
      if (patienceLeftMs <= 0) throw new Starved(answerMs - leftMs)
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
    // An error outside a question only ends the thread; the next question starts another one.
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
class Starved extends Error {
  readonly usedMs: number

  constructor(usedMs: number) {
    super('the thread had no processor')
    this.usedMs = usedMs
  }
}

const isOverBounds = (error: unknown): boolean =>
  error instanceof TooSlow ||
  (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')

/** Rejects if the thread ends first, or with the signal's reason. */
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
