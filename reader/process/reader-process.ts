import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'
import type { ArchiveSource } from '../formats/archive.ts'
import type { ReaderLimits, StartReader } from './reader-command.ts'
import {
  type ByteRange,
  controlFd,
  maxLineBytes,
  parseReaderLine,
  parseReaderNumber,
  type ReaderJob,
  readyLine,
  tarFd,
  type Verdict,
} from './reader-messages.ts'

/** Why a reader ended without a verdict. `taken_away`: something else on the machine killed it. */
export type ReaderDeath = 'time' | 'memory' | 'crash' | 'senseless_answer' | 'taken_away'

export class ReaderDied extends Error {
  readonly death: ReaderDeath

  constructor(death: ReaderDeath) {
    super(`the archive reader died: ${death}`)
    this.name = 'ReaderDied'
    this.death = death
  }
}

const startTimeoutMs = 30_000
const endTimeoutMs = 1000
const pollIntervalMs = 25

/** One confined process that reads archives, killed when it exceeds its limits. */
export class ReaderProcess {
  /** Input: the bytes of ranges, or a whole image. */
  readonly input: Writable
  /** Output of a `context_tar` or `scan` job. */
  readonly tar: Readable
  readonly #child: ChildProcess
  readonly #control: Duplex
  readonly #lines: AsyncIterator<Buffer>
  readonly #limits: ReaderLimits
  /** Resolves when the process has ended. */
  readonly ended: Promise<ReaderDeath>
  #killedFor: ReaderDeath | undefined
  /** How the process ended, for messages. */
  #exit: string | undefined
  #pid: number | undefined
  #isReady = false

  constructor(start: StartReader, limits: ReaderLimits) {
    this.#limits = limits
    const {
      command: [command = '', ...args],
      inherited,
    } = start(limits)
    const child = spawn(command, args, {
      env: {},
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe', ...(inherited === undefined ? [] : [inherited])],
    })
    this.#child = child
    this.input = child.stdin as Writable
    this.#control = child.stdio[controlFd] as Duplex
    this.tar = child.stdio[tarFd] as Readable
    this.#lines = linesOf(this.#control)
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#exit = signal ? `ended by ${signal}` : `exited with ${code}`
        resolve(this.#killedFor ?? deathOf(signal))
      })
      child.on('error', ({ message }) => {
        this.#exit = message
        resolve('taken_away')
      })
    })
    // When a reader ends its pipes break; only its exit is reported.
    for (const pipe of [this.input, this.#control, this.tar]) pipe.on('error', () => undefined)
  }

  /** Sends a job and the ranges that the reader requests. Throws `ReaderDied`, and errors of the source. */
  async runJob(job: ReaderJob, source?: ArchiveSource): Promise<Verdict> {
    if (!this.#isReady) await this.#start()
    this.#control.write(`${JSON.stringify(job)}\n`)
    let sending: Promise<unknown> = Promise.resolve()
    const sendingFailed = Promise.withResolvers<never>()
    for (;;) {
      const line = await Promise.race([this.#nextLine(), sendingFailed.promise])
      if ('verdict' in line) {
        await Promise.race([sending, this.ended])
        return line.verdict
      }
      if (!source || line.open.end >= source.byteSize) throw this.#invalidAnswer()
      await sending
      sending = this.#send(source, line.open).catch(sendingFailed.reject)
    }
  }

  /** Peak memory in bytes. */
  async peakBytes(): Promise<number> {
    return (await statusOf(this.#pid, 'VmHWM')) ?? 0
  }

  /** Process id of the reader, which another process may have started. Known after its first line. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** Lets the reader end by itself after its output is flushed. */
  finish(): void {
    this.#control.end()
  }

  /** Kills the reader. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  /** Lets this process end while the reader waits for a job; `ref` undoes it. */
  unref(): void {
    this.#child.unref()
    for (const pipe of this.#child.stdio) (pipe as Socket | null)?.unref()
  }

  ref(): void {
    this.#child.ref()
    for (const pipe of this.#child.stdio) (pipe as Socket | null)?.ref()
  }

  async #start(): Promise<void> {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.kill()
    }, startTimeoutMs)
    const number = await this.#lines.next()
    this.#pid = number.done ? undefined : parseReaderNumber(number.value)
    const first = await this.#lines.next()
    clearTimeout(timer)
    if (this.#pid === undefined || first.done || `${first.value}\n` !== readyLine) {
      // It ends by itself once it has said why.
      const overdue = setTimeout(() => this.kill(), endTimeoutMs)
      await this.ended
      clearTimeout(overdue)
      const cause = isLate ? `not ready after ${startTimeoutMs / 1000} s` : this.#exit
      const said = [number, first].flatMap(({ value }) => (value ? [value.toString('latin1')] : []))
      throw new Error(`the archive reader cannot be started or confined: ${[cause, ...said].join(', ')}`)
    }
    this.#isReady = true
    void this.#enforceLimits()
  }

  async #nextLine() {
    const next = await this.#lines.next()
    if (next.done) throw new ReaderDied(await this.ended)
    const line = parseReaderLine(next.value)
    if (!line) throw this.#invalidAnswer()
    return line
  }

  #invalidAnswer(): ReaderDied {
    this.kill()
    return new ReaderDied('senseless_answer')
  }

  /** Sends exactly the requested bytes, unless the reader ends meanwhile. */
  async #send(source: ArchiveSource, range: ByteRange): Promise<void> {
    let left = range.end - range.start + 1
    for await (const chunk of await source.open(range)) {
      const bytes = (chunk as Buffer).subarray(0, left)
      left -= bytes.length
      if (!(await this.write(bytes))) return
    }
    if (left > 0) throw new Error('the stored archive is shorter than its size')
  }

  /** Writes to the reader's input; false if the reader has ended. */
  async write(bytes: Buffer): Promise<boolean> {
    if (this.input.destroyed) return false
    if (this.input.write(bytes)) return true
    return Promise.race([
      once(this.input, 'drain').then(
        () => true,
        () => false,
      ),
      this.ended.then(() => false),
    ])
  }

  async #enforceLimits(): Promise<void> {
    const { memoryBytes, timeoutMs } = this.#limits
    const startedAt = performance.now()
    const timer = setInterval(async () => {
      const isLate = performance.now() - startedAt > timeoutMs
      const isLarge = ((await statusOf(this.#pid, 'VmRSS')) ?? 0) > memoryBytes
      if (!isLate && !isLarge) return
      this.#killedFor ??= isLarge ? 'memory' : 'time'
      this.kill()
    }, pollIntervalMs)
    await this.ended
    clearInterval(timer)
  }
}

/** A crash (heap exhausted, a fault, processor time exceeded) has its own signal or none. */
const deathOf = (signal: NodeJS.Signals | null): ReaderDeath => {
  if (signal === 'SIGXCPU') return 'time'
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? 'taken_away' : 'crash'
}

/** Lines of bounded length, without their ends. A longer line is yielded truncated, and does not parse. */
async function* linesOf(stream: Readable): AsyncGenerator<Buffer, void> {
  let held = Buffer.alloc(0)
  for await (const chunk of stream) {
    held = Buffer.concat([held, chunk as Buffer])
    for (let end = held.indexOf(0x0a); end !== -1; end = held.indexOf(0x0a)) {
      yield held.subarray(0, end)
      held = held.subarray(end + 1)
    }
    if (held.length > maxLineBytes) yield held
  }
}

/** A memory figure of a process in bytes; undefined when it is gone. */
async function statusOf(pid: number | undefined, name: 'VmRSS' | 'VmHWM'): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  const kib = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  return kib === undefined ? undefined : Number(kib) * 1024
}
