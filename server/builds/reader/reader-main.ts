import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { RangeInput } from './range-input.ts'
import { judge } from './reader-jobs.ts'
import { controlFd, type ReaderJob, readyLine, tarFd, verdictLine } from './reader-messages.ts'

/*
 * The process that reads what strangers packed. It is told a job, reads, answers and waits for the next; the worker gives
 * it one and ends it. Nothing is caught here that the jobs do not expect: an error ends the process, and the worker
 * sees that it died.
 */

/** As confine/seal.c has it: no mask of modes, so it only comes back where that stands in the place of the C library's. */
const seal = 0x5ea1

const control = new Socket({ fd: controlFd })
const tar = new Socket({ fd: tarFd, readable: false })
const input = new RangeInput(process.stdin, (range) => control.write(`${JSON.stringify({ open: range })}\n`))

// From here on the kernel refuses files, sockets, programs and other processes. Nothing that a stranger packed was read yet.
if (process.umask(seal) !== seal) process.exit(1)
control.write(readyLine)
for await (const line of createInterface({ input: control })) {
  const verdict = await judge(JSON.parse(line) as ReaderJob, input, tar)
  control.write(verdictLine(verdict))
  await input.drain()
}
process.exit()
