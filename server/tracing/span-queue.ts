import { Counter } from 'prom-client'
import type { Log } from '../base/logging.ts'
import { startTicker, type Ticker } from '../work/ticker.ts'
import { traceRequest } from './otlp.ts'
import type { PostTraces, Receipt } from './post-traces.ts'
import type { Span } from './span.ts'

const spansTotal = new Counter({
  name: 'sandbox_spans_total',
  help: 'Spans of traces by what became of them: sent, refused by the collector, or dropped because it did not take them in time.',
  labelNames: ['result'],
})

/** Spans that wait; further ones are dropped. One takes less than 1 KiB. */
const waitingMax = 8192
const spansPerRequest = 512
const everyMs = 1000
const warnEveryMs = 600_000
/** For what waits when the process ends. */
const stopMs = 2000

export interface SpanQueueOptions {
  post: PostTraces
  /** Attributes of the process. */
  resource: Record<string, string>
  log: Log
  intervalMs?: number
}

/**
 * Spans on their way to the collector. Nobody waits for it: what a collector that is slow or away does not take is dropped
 * and counted, with a line in the log every ten minutes.
 */
export class SpanQueue {
  readonly #options: SpanQueueOptions
  readonly #ticker: Ticker
  readonly #ending = new AbortController()
  #waiting: Span[] = []
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(options: SpanQueueOptions) {
    this.#options = options
    const { log, intervalMs = everyMs } = options
    this.#ticker = startTicker({ name: 'traces', tick: (signal) => this.#sendAll(signal), intervalMs, log })
  }

  add(span: Span): void {
    if (this.#waiting.length >= waitingMax) spansTotal.inc({ result: 'dropped' })
    else this.#waiting.push(span)
  }

  /** Sends one more request if there is time, and drops the rest. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.#ending.abort(), stopMs)
    await this.#ticker.stop()
    await this.#sendSome()
    clearTimeout(late)
    spansTotal.inc({ result: 'dropped' }, this.#waiting.length)
    this.#waiting = []
  }

  async #sendAll(signal: AbortSignal): Promise<void> {
    while (this.#waiting.length > 0 && !signal.aborted) {
      if (!(await this.#sendSome())) return
    }
  }

  /** Returns false if the collector takes none now. They keep their positions. */
  async #sendSome(): Promise<boolean> {
    const { post, resource } = this.#options
    const spans = this.#waiting.slice(0, spansPerRequest)
    if (spans.length === 0) return false
    let receipt: Receipt
    try {
      receipt = await post(traceRequest(spans, resource), this.#ending.signal)
    } catch (error) {
      this.#warn(`the collector of traces does not answer: ${reasonOf(error)}`)
      return false
    }
    if (receipt === 'later') {
      this.#warn('the collector of traces takes no spans now')
      return false
    }
    this.#waiting.splice(0, spans.length)
    const refused = receipt === 'refused' ? spans.length : Math.min(receipt.refusedSpans, spans.length)
    if (refused > 0) this.#warn('the collector of traces refuses spans')
    spansTotal.inc({ result: 'refused' }, refused)
    spansTotal.inc({ result: 'sent' }, spans.length - refused)
    return true
  }

  #warn(message: string): void {
    const now = performance.now()
    if (now - this.#warnedAt < warnEveryMs) return
    this.#warnedAt = now
    this.#options.log.warn(message)
  }
}

/** A code such as ECONNREFUSED: the message may have the address, with what an operator put into it. */
const reasonOf = (error: unknown): string =>
  error instanceof Error ? String((error as NodeJS.ErrnoException).code ?? error.name) : 'unknown'
