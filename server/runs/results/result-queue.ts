import { SerialByKey } from '../../fairness/serial-by-key.ts'

/** Smaller results are stored at once, since they load worker and disk little. */
const largeBytes = 4 * 1024 * 1024

/**
 * Stores large results of one company one after another, so that a company whose runs end together takes no larger share of
 * the worker and the disk than another one. In memory of one worker.
 */
export class ResultQueue {
  readonly #serial = new SerialByKey()

  /** Waits for a turn and returns the function that ends it. Rejects with the signal's reason if that fires first. */
  async take(companyId: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    return bytes < largeBytes ? () => undefined : this.#serial.take(companyId, signal)
  }
}
