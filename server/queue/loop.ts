import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'

export interface LoopOptions {
  name: string
  everyMs: number
  /** One bounded round; answers counts for the log. Whatever it leaves, the next round takes. */
  runOnce: () => Promise<Record<string, number>>
  log: Log
}

export interface Loop {
  /** Resolves when the round under way has ended. */
  stop(): Promise<void>
}

/** Background work that has no urgency: a round, a pause, for ever; a round that fails is told and tried again. */
export function startLoop({ name, everyMs, runOnce, log }: LoopOptions): Loop {
  const stopping = new AbortController()
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        const counts = await runOnce()
        if (Object.values(counts).some((count) => count > 0)) log.info({ loop: name, ...counts }, 'swept')
      } catch (error) {
        log.warn({ loop: name, error: String(error) }, 'round failed')
      }
      await sleep(everyMs, stopping.signal)
    }
  }
  const ended = run()
  return {
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}
