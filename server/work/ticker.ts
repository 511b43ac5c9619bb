import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'

export interface TickerOptions {
  /** For the log. */
  name: string
  /** One bounded round; `signal` fires when the ticker stops. The next tick continues where it stopped. */
  tick: (signal: AbortSignal) => Promise<unknown>
  /** From the end of a tick to the next one. Absent: it ticks only when woken. */
  intervalMs?: number
  log: Log
  pause?: typeof sleep | undefined
}

export interface Ticker {
  /** Ticks at once, or again when the current tick has ended. */
  wake(): void
  /** Resolves when the current tick has ended. No further tick starts. */
  stop(): Promise<void>
}

/** Ticks at its start, when woken and after each interval, never twice at once. Ticks continue after a failed tick. */
export function startTicker({ name, tick, intervalMs, log, pause = sleep }: TickerOptions): Ticker {
  const stopping = new AbortController()
  const { signal } = stopping
  let isWoken = false
  let waiting = new AbortController()
  const run = async () => {
    while (!signal.aborted) {
      isWoken = false
      waiting = new AbortController()
      try {
        await tick(signal)
      } catch (error) {
        if (!signal.aborted) log.warn({ loop: name, error: String(error) }, 'tick failed')
      }
      if (isWoken || signal.aborted) continue
      if (intervalMs === undefined) await aborted(waiting.signal)
      else await pause(intervalMs, waiting.signal)
    }
  }
  const wake = () => {
    isWoken = true
    waiting.abort()
  }
  const ended = run()
  return {
    wake,
    stop: async () => {
      stopping.abort()
      wake()
      await ended
    },
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
