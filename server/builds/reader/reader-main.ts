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
const control = new Socket({ fd: controlFd })
const tar = new Socket({ fd: tarFd, readable: false })
const input = new RangeInput(process.stdin, (range) => control.write(`${JSON.stringify({ open: range })}\n`))

control.write(readyLine)
for await (const line of createInterface({ input: control })) {
  const verdict = await judge(JSON.parse(line) as ReaderJob, input, tar)
  control.write(verdictLine(verdict))
  await input.drain()
}
process.exit()
