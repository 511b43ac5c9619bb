import { setTimeout as sleep } from 'node:timers/promises'

/** A new client that waits longer than this for an answer meets a stalled service. */
export const stallMs = 1000
const intervalMs = 250
const limitMs = 30_000

export interface Probes {
  answeredMs: number[]
  failures: string[]
}

/**
 * Asks `/health` on a new connection every 250 ms, whether or not former answers have come, until `signal` is aborted. Returns
 * after the last answer. A workload that waits for each result meets a stall only once, however long it is; these requests
 * meet it as often as independent clients would.
 */
export async function probe(url: string, signal: AbortSignal): Promise<Probes> {
  const probes: Probes = { answeredMs: [], failures: [] }
  const sent: Promise<void>[] = []
  while (!signal.aborted) {
    sent.push(ask(url, probes))
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined)
  }
  await Promise.all(sent)
  return probes
}

async function ask(url: string, { answeredMs, failures }: Probes): Promise<void> {
  const startedMs = performance.now()
  try {
    const response = await fetch(new URL('/health', url), {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(limitMs),
    })
    await response.text()
    if (!response.ok) failures.push(`health: ${response.status}`)
    answeredMs.push(performance.now() - startedMs)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    failures.push(`health: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}
