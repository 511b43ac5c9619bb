import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { SerialByKey } from '../../fairness/serial-by-key.ts'

/** Bytes between two rests. */
const stretchBytes = 1024 ** 2
const maxRestMs = 1000

/**
 * A result on its way to the store, which rests after each MiB for as long as that took: copying a large result takes processor
 * time of worker and agent, so without the rests small runs of others would wait. A result of less than a MiB is passed on as it is.
 */
export const atHalfSpeed = (body: Readable, byteSize: number): Readable =>
  byteSize < stretchBytes ? body : Readable.from(withRests(body))

/** Exported for its test: a source that reads ahead does so during the rests too. */
export async function* withRests(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0
  let sinceMs = performance.now()
  for await (const chunk of body) {
    yield chunk
    bytes += chunk.length
    if (bytes < stretchBytes) continue
    await sleep(Math.min(maxRestMs, performance.now() - sinceMs))
    bytes = 0
    sinceMs = performance.now()
  }
}

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
