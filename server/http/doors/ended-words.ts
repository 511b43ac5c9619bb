import type { ProgramEnd } from '../../doors/programs/program-result.ts'

/** Why a program did not end by itself, as a sentence for people; undefined where it did. */
export function endedWords(end: ProgramEnd, timeoutSeconds: number): string | undefined {
  switch (end.kind) {
    case 'exited':
    case 'signalled':
      return undefined
    case 'timeout':
      return `The program was stopped after ${timeoutSeconds} seconds, the longest time that it may run.`
    case 'out_of_memory':
      return 'The program needed more memory than it may have.'
    case 'output_too_large':
      return 'The program printed more than 16 MiB.'
    case 'disk_full':
      return 'The program wrote more than fits into its workspace.'
    case 'pids_limit':
      return 'The program started more processes than it may have.'
    case 'stopped':
      return `The program was stopped (${end.reason}).`
    case 'failed':
      return `The program could not be run (${end.reason}).`
  }
}
