import { setTimeout as sleep } from 'node:timers/promises'

/** Bytes between two rests. */
const stretchBytes = 1024 ** 2
const maxRestMs = 1000

/**
 * Passes the bytes on, and rests after each MiB for as long as it took: copying a large result takes processor time of the
 * worker and the agent, which small runs of others do not wait for.
 */
export async function* atHalfSpeed(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
