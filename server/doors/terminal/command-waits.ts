import { CodedError } from '../../base/errors/coded-error.ts'
import { type DoorSlots, retryAfterSeconds } from '../programs/run-program.ts'
import type { Person } from './person.ts'

/** How long a request waits for the end of a command; `signal` fires when the client has gone. */
export interface CommandWait {
  seconds: number
  signal: AbortSignal
}

/** The answer to a person who waits for too much. */
export const tooBusy = () => new CodedError('watchers_busy', { retry_after_seconds: retryAfterSeconds })

export const isTooBusy = (error: unknown): boolean =>
  error instanceof CodedError && error.code === 'watchers_busy'

/**
 * Holds a place of the company while a request waits, so that every watcher of doors has one. A request that waits for nothing
 * needs none. Throws 429 `watchers_busy`.
 */
export async function runInSlot<Result>(
  { places }: { places: DoorSlots },
  { open }: Person,
  { seconds, work }: { seconds: number; work: () => Promise<Result> },
): Promise<Result> {
  if (seconds === 0) return work()
  return places.within(open.door.company_id, tooBusy, work)
}
