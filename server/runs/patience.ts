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
  /** Tries at most; absent: for as long as it takes. */
  attempts?: number
  /** The same while the host is away or full; absent: as `attempts`. */
  attemptsWhileAway?: number
}

const firstWaitMs = 50
const lastWaitMs = 5000

/** About ten minutes of trying. */
export const longPatience = 125
/** About ten seconds. */
export const shortPatience = 8

/**
 * Repeats what may be repeated until it works: every step of a run is safe to do again, and neither a host nor a
 * database that is away for a while may decide how a run ends. Answers that trying again cannot change are thrown on.
 */
export async function patiently<T>(what: string, work: () => Promise<T>, patience: Patience): Promise<T> {
  let waitMs = firstWaitMs
  for (let attempt = 1; ; attempt += 1) {
    if (patience.signal.aborted) throw new Detached()
    try {
      return await work()
    } catch (error) {
      if (patience.signal.aborted) throw new Detached()
      if (isFinal(error) || attempt >= attemptsFor(error, patience)) throw error
      patience.log.warn({ what, attempt, error: describe(error) }, 'will try again')
    }
    await (patience.pause ?? sleep)(waitMs, patience.signal)
    waitMs = Math.min(waitMs * 2, lastWaitMs)
  }
}

const isFinal = (error: unknown): boolean =>
  (error instanceof ExecutorRefused && error.slug !== noCapacity) ||
  error instanceof SandboxUnknown ||
  error instanceof ObjectMissing ||
  error instanceof ObjectTooLarge

function attemptsFor(error: unknown, { attempts, attemptsWhileAway }: Patience): number {
  const away = error instanceof ExecutorUnavailable || error instanceof ExecutorRefused
  return (away ? attemptsWhileAway : undefined) ?? attempts ?? Number.POSITIVE_INFINITY
}

/** For the log: a refusal's own words may quote what a tenant wrote, and so may the fields of a database error. */
export function describe(error: unknown): string {
  if (error instanceof ExecutorRefused) return `refused: ${error.slug}`
  return error instanceof Error ? error.message : String(error)
}
