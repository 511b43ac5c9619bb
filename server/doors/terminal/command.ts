import { CodedError } from '../../base/errors/coded-error.ts'
import type { ShownRun } from '../../runs/model/run-row.ts'
import type { SessionRun } from '../../runs/parts/session/session-runs.ts'
import type { DoorServices } from '../door-services.ts'
import { endOf, type ProgramEnd } from '../programs/program-result.ts'
import { retryAfterSeconds } from '../programs/run-program.ts'
import type { Person } from './person.ts'

/** A command of a person: a run with their session. */
export interface Command {
  /** Of the run. */
  id: string
  /** Empty where its time is over. */
  text: string
  hasStarted: boolean
  /** Undefined while it waits or runs. */
  end: ProgramEnd | undefined
}

/** The input of the run as the room sees it. */
export interface CommandInput {
  door: string
  user: string
  command: string
}

export const commandOf = ({ input, ...run }: SessionRun): Command => ({
  id: run.id,
  text: input === null ? '' : (JSON.parse(input.toString('utf8')) as CommandInput).command,
  ...progressOf(run),
})

export const progressOf = (
  run: Pick<ShownRun, 'state' | 'terminal_at' | 'error_code' | 'error_detail' | 'exit_code'>,
): Pick<Command, 'hasStarted' | 'end'> => ({
  hasStarted: run.state !== 'queued',
  end: run.terminal_at === null ? undefined : endOf(run),
})

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
  { places }: DoorServices,
  { open }: Person,
  { seconds, work }: { seconds: number; work: () => Promise<Result> },
): Promise<Result> {
  if (seconds === 0) return work()
  return places.within(open.door.company_id, tooBusy, work)
}
