import type { ShownRun } from '../../runs/model/run-row.ts'
import type { SessionRun } from '../../runs/parts/session/session-runs.ts'
import { endOf, type ProgramEnd } from '../programs/program-result.ts'

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
