import type { ReaderLimits, StartReader } from './reader-command.ts'
import { ReaderProcess } from './reader-process.ts'

/** How long a reader waits for an archive before it is ended. */
const spareMs = 30_000

/** One reader that is started before its archive is there. It has read nothing when it is taken, and is used once. */
export class SpareReader {
  readonly #start: StartReader
  readonly #limits: ReaderLimits
  #spare: { reader: ReaderProcess; timer: NodeJS.Timeout } | undefined

  constructor(start: StartReader, limits: ReaderLimits) {
    this.#start = start
    this.#limits = limits
  }

  /** Starts a reader unless one waits. It keeps no process alive that has nothing else to do. */
  prepare(): void {
    if (this.#spare) return
    const reader = new ReaderProcess(this.#start, this.#limits)
    const timer = setTimeout(() => {
      this.#spare = undefined
      reader.kill()
    }, spareMs)
    timer.unref()
    reader.unref()
    const spare = { reader, timer }
    this.#spare = spare
    void reader.ended.then(() => {
      clearTimeout(timer)
      if (this.#spare === spare) this.#spare = undefined
    })
  }

  /** The reader that waits, or a new one. */
  take(): ReaderProcess {
    const spare = this.#spare
    this.#spare = undefined
    if (!spare) return new ReaderProcess(this.#start, this.#limits)
    clearTimeout(spare.timer)
    spare.reader.ref()
    return spare.reader
  }
}
