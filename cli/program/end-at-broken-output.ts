import { exitCodes } from '../failure.ts'

/** 128 and the number of SIGPIPE: the exit code of a program that wrote to a closed pipe. */
const brokenPipe = 141

/**
 * Ends the command when its output cannot be written: silently if the reader has closed its pipe, as `head` does, and
 * with the reason otherwise, such as a full disk.
 */
export function endAtBrokenOutput(): void {
  process.stderr.on('error', () => process.exit(brokenPipe))
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(brokenPipe)
    process.stderr.write(`error: The result cannot be written: ${error.message}\n`)
    process.exit(exitCodes.failed)
  })
}
