import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Duplex, Readable, Writable } from 'node:stream'
import type { ArchiveSource } from '../archive/archive.ts'
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

/** Why a reader ended without a verdict. `taken_away`: another hand than ours or its own. */
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
const lookEveryMs = 25

/** One process that reads archives, confined as `readerCommand` says, and killed when it exceeds its limits. */
export class ReaderProcess {
  /** Takes the bytes of ranges, or a whole image. */
  readonly input: Writable
  /** What a `context_tar` job writes, or a `scan`. */
  readonly tar: Readable
  readonly #child: ChildProcess
  readonly #control: Duplex
  readonly #lines: AsyncIterator<Buffer>
  readonly #limits: ReaderLimits
  readonly #ended: Promise<ReaderDeath>
  #killedFor: ReaderDeath | undefined
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
    this.#ended = new Promise((resolve) => {
      child.once('exit', (_code, signal) => resolve(this.#killedFor ?? deathOf(signal)))
      child.on('error', () => resolve('taken_away'))
    })
    // A reader that has ended breaks its pipes; how it ended is what counts.
    for (const pipe of [this.input, this.#control, this.tar]) pipe.on('error', () => undefined)
  }

  /** Gives it a job and the ranges that it asks for. Throws `ReaderDied`, and whatever the source throws. */
  async ask(job: ReaderJob, source?: ArchiveSource): Promise<Verdict> {
    if (!this.#isReady) await this.#start()
    this.#control.write(`${JSON.stringify(job)}\n`)
    let sending: Promise<unknown> = Promise.resolve()
    const sendingFailed = Promise.withResolvers<never>()
    for (;;) {
      const line = await Promise.race([this.#nextLine(), sendingFailed.promise])
      if ('verdict' in line) {
        await Promise.race([sending, this.#ended])
        return line.verdict
      }
      if (!source || line.open.end >= source.byteSize) throw this.#senseless()
      await sending
      sending = this.#send(source, line.open).catch(sendingFailed.reject)
    }
  }

  /** Bytes of the most memory it has had. */
  async peakBytes(): Promise<number> {
    return (await statusOf(this.#pid, 'VmHWM')) ?? 0
  }

  /** Of the reader itself, which another process may have started for us; once it has said so. */
  get pid(): number | undefined {
    return this.#pid
  }

  /** Lets it end by itself, once what it wrote has left it. */
  finish(): void {
    this.#control.end()
  }

  /** Ends it, done or not. */
  kill(): void {
    this.#child.kill('SIGKILL')
  }

  async #start(): Promise<void> {
    const timer = setTimeout(() => this.kill(), startTimeoutMs)
    const number = await this.#lines.next()
    this.#pid = number.done ? undefined : parseReaderNumber(number.value)
    const first = await this.#lines.next()
    clearTimeout(timer)
    if (this.#pid === undefined || first.done || `${first.value}\n` !== readyLine) {
      this.kill()
      throw new Error('the archive reader does not start, or cannot be confined')
    }
    this.#isReady = true
    void this.#keepToLimits()
  }

  async #nextLine() {
    const next = await this.#lines.next()
    if (next.done) throw new ReaderDied(await this.#ended)
    const line = parseReaderLine(next.value)
    if (!line) throw this.#senseless()
    return line
  }

  #senseless(): ReaderDied {
    this.kill()
    return new ReaderDied('senseless_answer')
  }

  /** Exactly the bytes asked for, unless the reader ends meanwhile. */
  async #send(source: ArchiveSource, range: ByteRange): Promise<void> {
    let left = range.end - range.start + 1
    for await (const chunk of await source.open(range)) {
      const bytes = (chunk as Buffer).subarray(0, left)
      left -= bytes.length
      if (!(await this.give(bytes))) return
    }
    if (left > 0) throw new Error('the stored archive is shorter than its size')
  }

  /** Writes to its input; false when there is nobody to read it. */
  async give(bytes: Buffer): Promise<boolean> {
    if (this.input.destroyed) return false
    if (this.input.write(bytes)) return true
    return Promise.race([
      once(this.input, 'drain').then(
        () => true,
        () => false,
      ),
      this.#ended.then(() => false),
    ])
  }

  async #keepToLimits(): Promise<void> {
    const { memoryBytes, timeoutMs } = this.#limits
    const startedAt = performance.now()
    const look = setInterval(async () => {
      const isLate = performance.now() - startedAt > timeoutMs
      const isLarge = ((await statusOf(this.#pid, 'VmRSS')) ?? 0) > memoryBytes
      if (!isLate && !isLarge) return
      this.#killedFor ??= isLarge ? 'memory' : 'time'
      this.kill()
    }, lookEveryMs)
    await this.#ended
    clearInterval(look)
  }
}

/** A crash (out of its own heap, a fault, past its processor time) comes with a signal of its own or none. */
const deathOf = (signal: NodeJS.Signals | null): ReaderDeath => {
  if (signal === 'SIGXCPU') return 'time'
  return signal === 'SIGKILL' || signal === 'SIGTERM' ? 'taken_away' : 'crash'
}

/** Lines of bounded length, without their ends. One that is longer comes as far as it may go, and is none that parses. */
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
