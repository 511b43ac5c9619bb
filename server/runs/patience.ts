import { sleep } from '../base/clock.ts'
import type { Log } from '../base/logging.ts'
import { ExecutorRefused, ExecutorUnavailable, noCapacity, SandboxUnknown } from '../executor/port.ts'
import { ObjectMissing, ObjectTooLarge } from '../storage/port.ts'

/** The worker is going away: what it held goes on without it and is taken over later. */
export class Detached extends Error {
  constructor() {
    super('the worker is stopping')
    this.name = 'Detached'
  }
}

export interface Patience {
  /** How it waits between two tries; by default on the machine's clock. */
  pause?: typeof sleep | undefined
  /** Ends the trying with `Detached`. */
  signal: AbortSignal
  log: Log
  /** How long it waits in all; absent: for as long as it takes. */
  waitsMs?: number
  /** The same while the host is away or full; absent: as `waitsMs`. */
  waitsMsWhileAway?: number
}

const firstWaitMs = 50
/** Asking what is away costs next to nothing, and it may be back any moment. */
const lastWaitMs = 500
const lastWaitWhileFullMs = 5000
/** Once the waits are as long as they get, one try in so many is told of. */
const triesPerLine = 10

export const longPatienceMs = 600_000
export const shortPatienceMs = 10_000

/**
 * Repeats what may be repeated until it works: every step of a run is safe to do again, and neither a host nor a
 * database that is away for a while may decide how a run ends. Answers that trying again cannot change are thrown on.
 */
export async function patiently<T>(what: string, work: () => Promise<T>, patience: Patience): Promise<T> {
  let waitMs = firstWaitMs
  let waitedMs = 0
  for (let attempt = 1; ; attempt += 1) {
    if (patience.signal.aborted) throw new Detached()
    try {
      return await work()
    } catch (error) {
      if (patience.signal.aborted) throw new Detached()
      if (isFinal(error) || waitedMs >= boundFor(error, patience)) throw error
      const longestMs = error instanceof ExecutorRefused ? lastWaitWhileFullMs : lastWaitMs
      if (waitMs < longestMs || attempt % triesPerLine === 0)
        patience.log.warn({ what, attempt, error: describe(error) }, 'will try again')
      waitMs = Math.min(waitMs, longestMs)
    }
    await (patience.pause ?? sleep)(waitMs, patience.signal)
    waitedMs += waitMs
    waitMs *= 2
  }
}

const isFinal = (error: unknown): boolean =>
  (error instanceof ExecutorRefused && error.slug !== noCapacity) ||
  error instanceof SandboxUnknown ||
  error instanceof ObjectMissing ||
  error instanceof ObjectTooLarge

function boundFor(error: unknown, { waitsMs, waitsMsWhileAway }: Patience): number {
  const away = error instanceof ExecutorUnavailable || error instanceof ExecutorRefused
  return (away ? waitsMsWhileAway : undefined) ?? waitsMs ?? Number.POSITIVE_INFINITY
}

/** For the log: a refusal's own words may quote what a tenant wrote, and so may the fields of a database error. */
export function describe(error: unknown): string {
  if (error instanceof ExecutorRefused) return `refused: ${error.slug}`
  return error instanceof Error ? error.message : String(error)
}
