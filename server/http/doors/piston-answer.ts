import { constants } from 'node:os'
import type { ProgramEnd, ProgramResult } from '../../doors/programs/program-result.ts'
import { endedWords } from './ended-words.ts'

/** One stage of an execution, as Piston answers it. Sizes are bytes, times milliseconds. */
export interface PistonStage {
  stdout: string
  stderr: string
  /** Both together: the order in which they were written is not known. */
  output: string
  code: number | null
  signal: string | null
  message: string | null
  status: 'RE' | 'SG' | 'TO' | 'OL' | 'EL' | 'XX' | null
  cpu_time: number | null
  wall_time: number | null
  memory: number | null
}

type Ended = Pick<PistonStage, 'code' | 'signal' | 'message' | 'status'>

const killed = 'SIGKILL'

export function runStage(result: ProgramResult, timeoutSeconds: number): PistonStage {
  const { stdout, stderr } = result
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    output: stdout.text + stderr.text,
    ...cutOf(result, endedOf(result.end, timeoutSeconds)),
    cpu_time: result.cpuMs,
    wall_time: result.wallMs,
    memory: result.memoryBytes,
  }
}

export const compileStage = (printed: { stdout: string; stderr: string; code: number }): PistonStage => ({
  stdout: printed.stdout,
  stderr: printed.stderr,
  output: printed.stdout + printed.stderr,
  ...endedOf({ kind: 'exited', code: printed.code }, 0),
  cpu_time: null,
  wall_time: null,
  memory: null,
})

function cutOf({ stdout, stderr }: ProgramResult, ended: Ended): Ended {
  if (stdout.isCut) return { ...ended, status: 'OL', message: 'stdout length exceeded' }
  return stderr.isCut ? { ...ended, status: 'EL', message: 'stderr length exceeded' } : ended
}

function endedOf(end: ProgramEnd, timeoutSeconds: number): Ended {
  if (end.kind === 'exited')
    return end.code === 0
      ? { code: 0, signal: null, message: null, status: null }
      : { code: end.code, signal: null, message: `Exited with error status ${end.code}`, status: 'RE' }
  if (end.kind === 'signalled')
    return {
      code: null,
      signal: signalName(end.signal),
      message: `Caught fatal signal ${end.signal}`,
      status: 'SG',
    }
  return {
    code: null,
    signal: killed,
    message: endedWords(end, timeoutSeconds) ?? null,
    status: statusOf(end),
  }
}

function statusOf({ kind }: ProgramEnd): PistonStage['status'] {
  if (kind === 'timeout') return 'TO'
  if (kind === 'output_too_large') return 'OL'
  return kind === 'failed' || kind === 'stopped' ? 'XX' : 'SG'
}

const signalName = (signal: number): string =>
  Object.entries(constants.signals).find(([, number]) => number === signal)?.[0] ?? killed
