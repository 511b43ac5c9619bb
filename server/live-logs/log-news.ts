import { EventEmitter } from 'node:events'
import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { type Listener, listen } from '../queue/listener.ts'

/** Told by the worker that has brought something new of a log; the payload is whose it is. */
export const logNewsChannel = 'live_log_news'

const reconnected = Symbol('reconnected')

/** Where who follows a log hears of what is new in it. */
export interface LiveNews {
  of(subjectId: string): LogEar
}

/** One follower's. */
export interface LogEar {
  /** Resolves when there is news, told since it last did, at the latest after that time. */
  next(withinMs: number): Promise<void>
  close(): void
}

/** Hears of what is new in live logs, on a connection that is there while somebody follows one. */
export class LogNews implements LiveNews {
  readonly #options: { url: string; log: Log }
  readonly #heard = new EventEmitter().setMaxListeners(0)
  #ears = 0
  #listener: Listener | undefined

  constructor(options: { url: string; log: Log }) {
    this.#options = options
  }

  of(subjectId: string): LogEar {
    const ear = new Ear(() => {
      this.#heard.off(subjectId, ear.hear).off(reconnected, ear.hear)
      this.#ears -= 1
      if (this.#ears > 0) return
      void this.#listener?.stop()
      this.#listener = undefined
    })
    this.#heard.on(subjectId, ear.hear).on(reconnected, ear.hear)
    this.#ears += 1
    this.#listener ??= listen({
      ...this.#options,
      channels: [logNewsChannel],
      onMessage: (_channel, id) => this.#heard.emit(id),
      onListening: () => this.#heard.emit(reconnected),
    })
    return ear
  }
}

class Ear implements LogEar {
  readonly close: () => void
  #news = Promise.withResolvers<void>()

  constructor(close: () => void) {
    this.close = close
  }

  readonly hear = (): void => this.#news.resolve()

  async next(withinMs: number): Promise<void> {
    const late = new AbortController()
    await Promise.race([this.#news.promise, sleep(withinMs, late.signal)])
    late.abort()
    this.#news = Promise.withResolvers<void>()
  }
}
