import { ExecutorUnavailable } from '../../agent/port/errors.ts'
import type { LogPart } from '../../agent/port/results.ts'
import type { ProgramInput, StartInput } from '../../agent/port/start-input.ts'
import type { Clock } from '../../server/base/clock.ts'
import { Changes } from './changes.ts'
import { LogWindow } from './log-window.ts'

/** How long a log is sent after somebody read it. */
const followMs = 30_000

/**
 * Everything that this process has in hand of a sandbox, and no other one: the input that waits for its pod, those who wait for its start or
 * end, and the newest part of its log. The record of the sandbox does not depend on it.
 */
export class PodSession {
  readonly #clock: Clock
  #offer: { input: StartInput; opened?: Promise<ProgramInput> } | undefined
  #isInputTaken = false
  #isInputSent = false
  #isRunning = false
  #started = Promise.withResolvers<void>()
  #readUntilMs = 0
  readonly #log = new LogWindow()
  readonly #logged = new Changes()
  /** For those who wait for a start or an end, and for the collector's orders. */
  readonly changes = new Changes()
  /** When its collector last asked for something. */
  heardAtMs: number
  /** Of the pod that was created for this start, as soon as it is known. */
  podUid: string | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.heardAtMs = clock.now().getTime()
    this.#started.promise.catch(() => {})
  }

  /** Resolves when the program runs and its input was sent, or the sandbox has ended. Rejects with the reason for which the input was refused or cut. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  get isOffered(): boolean {
    return this.#offer !== undefined
  }

  /** Waits for a pod with this input. False if another start waits already. */
  offer(input: StartInput): boolean {
    if (this.#offer) return false
    this.#offer = { input }
    this.podUid = undefined
    this.#started = Promise.withResolvers()
    this.#started.promise.catch(() => {})
    return true
  }

  /** Opens the input that waits, once. Rejects as the input does: then the start is over, and no input waits any more. */
  open(): Promise<ProgramInput> | undefined {
    const offer = this.#offer
    if (!offer) return undefined
    offer.opened ??= offer.input.open().then(heldInput, (error: unknown) => {
      this.fail(error)
      throw error
    })
    return offer.opened
  }

  /** The opened input, once. */
  takeInput(): Promise<ProgramInput> | 'taken' | 'gone' {
    if (this.#isInputTaken) return 'taken'
    const opened = this.#offer?.opened
    if (!opened) return 'gone'
    this.#isInputTaken = true
    return opened
  }

  /** The collector has all of the input. */
  markInputSent(): void {
    this.#isInputSent = true
    if (this.#isRunning) this.end()
  }

  /** The program runs: it may do so before it has the end of its input, without which its start does not count. */
  markRunning(): void {
    this.#isRunning = true
    if (this.#isInputSent) this.end()
  }

  /** The start is over, or the sandbox is. */
  end(): void {
    this.#offer = undefined
    this.#started.resolve()
    this.changes.notify()
  }

  /** Ends the start that waits, if one does; the next start may offer another input. */
  fail(error: unknown): void {
    const opened = this.#isInputTaken ? undefined : this.#offer?.opened
    // Nobody reads the stream any more, so its source ends.
    void opened?.then(({ bytes }) => !Buffer.isBuffer(bytes) && bytes.destroy()).catch(() => {})
    this.#offer = undefined
    this.#started.reject(error)
    this.changes.notify()
  }

  close(): void {
    this.fail(new ExecutorUnavailable('the worker does not wait for this start any more'))
  }

  heard(): void {
    this.heardAtMs = this.#clock.now().getTime()
  }

  /** The part of the log that the collector is to send. */
  get following(): { follow: 0 | 1; from: number } {
    return { follow: this.#clock.now().getTime() < this.#readUntilMs ? 1 : 0, from: this.#log.end }
  }

  takeLog(from: number, bytes: Buffer): void {
    this.#log.add(from, bytes)
    this.#logged.notify()
  }

  /** The newest bytes of the log from `position` on, as soon as there are some, or none after `waitMs`. */
  async logSince(position: number, waitMs: number): Promise<LogPart> {
    const late = AbortSignal.timeout(Math.max(1, waitMs))
    const wasFollowed = this.following.follow
    this.#log.want(position)
    this.#readUntilMs = this.#clock.now().getTime() + Math.max(followMs, waitMs)
    if (!wasFollowed) this.changes.notify()
    for (;;) {
      const part = this.#log.since(position)
      if (part.bytes.length > 0 || waitMs === 0 || late.aborted) return part
      await this.#logged.next(waitMs, late)
    }
  }
}

/** A stream that fails before somebody reads it throws at its first reader, and nowhere else. */
function heldInput(input: ProgramInput): ProgramInput {
  if (!Buffer.isBuffer(input.bytes)) input.bytes.on('error', () => {})
  return input
}

/** The sessions of a worker, by the id of the sandbox. */
export class PodSessions {
  readonly #clock: Clock
  readonly #sessions = new Map<string, PodSession>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  find(id: string): PodSession | undefined {
    return this.#sessions.get(id)
  }

  /** Of a sandbox whose record says that it has not ended. */
  of(id: string): PodSession {
    const session = this.#sessions.get(id) ?? new PodSession(this.#clock)
    this.#sessions.set(id, session)
    return session
  }

  /** After its record says that nothing more can come. */
  end(id: string): void {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    session?.end()
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close()
    this.#sessions.clear()
  }
}
