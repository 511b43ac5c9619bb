import { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { RangeInput } from './range-input.ts'
import { performJob } from './reader-jobs.ts'
import { controlFd, type ReaderJob, readyLine, tarFd, verdictLine } from './reader-messages.ts'

/*
 * The process that reads untrusted archives. It receives a job, reads, answers and waits for the next; the worker sends
 * one job and ends the process. Unexpected errors are not caught: they end the process, and the worker
 * sees that it died.
 */

/** As in confine/seal.c. It is not a valid umask, so it is returned only if seal.c replaced the C library's function. */
const seal = 0x5ea1

const control = new Socket({ fd: controlFd })
const tar = new Socket({ fd: tarFd, readable: false })
const input = new RangeInput(process.stdin, (range) => control.write(`${JSON.stringify({ open: range })}\n`))

// From here on the kernel refuses files, sockets, programs and other processes. No untrusted byte was read before.
if (process.umask(seal) !== seal) process.exit(1)
control.write(readyLine)
for await (const line of createInterface({ input: control })) {
  const verdict = await performJob(JSON.parse(line) as ReaderJob, input, tar)
  control.write(verdictLine(verdict))
  await input.drain()
}
process.exit()
