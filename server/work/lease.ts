import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'

/** Another worker has the claim, or the claimed work has ended: this worker must not continue. */
export class ClaimLost extends Error {
  constructor() {
    super('the claim is lost')
    this.name = 'ClaimLost'
  }
}

export interface Heartbeat {
  everyMs: number
  /** Renews the lease; `lost` if another holder has it. After an error the lease may still be held. */
  renew: () => Promise<'held' | 'lost'>
  /** Stops the renewal. */
  signal: AbortSignal
  log: Log
}

/**
 * A connection may be dead without anybody knowing. A renewal without an answer is left, and the next one uses another connection. Two
 * such renewals one after the other end before a lease does, with time for a third: that of an executor is 20 s, renewed every 5 s.
 */
const answersWithinMs = 4000
/** Until the next renewal after one that failed. */
const retryMs = 1000

async function answered<T>(renewal: Promise<T>): Promise<T> {
  const over = new AbortController()
  const tooLate = sleep(answersWithinMs, over.signal).then(() => {
    throw new Error('it was not answered in time')
  })
  return Promise.race([renewal, tooLate]).finally(() => over.abort())
}

/** Renews a lease for as long as it is held. Resolves when the signal fires or the lease is lost. */
export async function keepLease({ everyMs, renew, signal, log }: Heartbeat): Promise<void> {
  for (let waitMs = everyMs; ; ) {
    await sleep(waitMs, signal)
    if (signal.aborted) return
    try {
      if ((await answered(renew())) === 'lost') return
      waitMs = everyMs
    } catch (error) {
      waitMs = Math.min(retryMs, everyMs)
      log.warn({ error: String(error) }, 'cannot renew a lease')
    }
  }
}
