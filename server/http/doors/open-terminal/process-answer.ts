import type { ProgramEnd } from '../../../doors/programs/program-result.ts'
import type { Command } from '../../../doors/terminal/command.ts'
import type { CommandOutput } from '../../../doors/terminal/command-output.ts'
import { endedWords } from '../ended-words.ts'

/* A command as Open Terminal answers a process. */

interface Process {
  id: string
  command: string
  status: 'running' | 'done' | 'killed'
  /** Negative: the signal that ended it. Null: it has not ended, or has no exit code. */
  exit_code: number | null
  /** Where a server of the platform has its file. */
  log_path: null
}

interface ProcessWithOutput extends Process {
  /** Both streams, in the order in which they were written. */
  output: { type: 'output'; data: string }[]
  truncated: boolean
  next_offset: number
}

export const processOf = ({ id, text, end }: Command): Process => ({
  id,
  command: text,
  status: end === undefined ? 'running' : isKilled(end) ? 'killed' : 'done',
  exit_code: end === undefined ? null : exitCodeOf(end),
  log_path: null,
})

const isKilled = (end: ProgramEnd): boolean => end.kind === 'stopped' && end.reason === 'cancelled'
const killSignal = 9

function exitCodeOf(end: ProgramEnd): number | null {
  if (end.kind === 'exited') return end.code
  if (end.kind === 'signalled') return -end.signal
  return end.kind === 'stopped' || end.kind === 'failed' ? null : -killSignal
}

/** The log itself has a sentence about files that are not kept. */
const notKept = 'session_not_kept'

/** `tail`: so many lines of the end. Behind the output stands why a command did not end by itself. */
export function withOutput(
  command: Command,
  {
    output,
    tail,
    timeoutSeconds,
  }: { output: CommandOutput; tail: number | undefined; timeoutSeconds: number },
): ProcessWithOutput {
  const shown = tail === undefined ? output.text : lastLines(output.text, tail)
  const { end } = command
  const isSaid = end?.kind === 'stopped' && end.reason === notKept
  const words = end && !isSaid ? endedWords(end, timeoutSeconds) : undefined
  const texts = [shown, words === undefined ? '' : `[${words}]\n`].filter((text) => text !== '')
  return {
    ...processOf(command),
    output: texts.map((data) => ({ type: 'output', data })),
    truncated: output.isCut || shown.length < output.text.length,
    next_offset: output.next,
  }
}

function lastLines(text: string, count: number): string {
  let at = text.endsWith('\n') ? text.length - 1 : text.length
  for (let left = count; left > 0 && at > 0; left -= 1) at = text.lastIndexOf('\n', at - 1)
  return at <= 0 && text[0] !== '\n' ? text : text.slice(at + 1)
}
