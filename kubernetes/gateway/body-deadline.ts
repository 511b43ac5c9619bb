import { type Readable, Transform } from 'node:stream'
import { type GatewayRefused, invalid, tooSlow } from './gateway-errors.ts'

const silenceMs = 15_000
const leastMs = 30_000
const leastBytesPerSecond = 64 * 1024

/** A body that comes in time and has the length that its head says; otherwise it ends with an error, and its sender is not read further. */
export class BodyDeadline {
  readonly body: Readable
  readonly #timers: NodeJS.Timeout[]
  #refusal: GatewayRefused | undefined

  constructor(source: Readable, bodyBytes: number) {
    let seen = 0
    const silence = setTimeout(() => this.#end(tooSlow()), silenceMs)
    const total = setTimeout(() => this.#end(tooSlow()), leastMs + (bodyBytes / leastBytesPerSecond) * 1000)
    this.#timers = [silence, total]
    const body = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        seen += chunk.length
        silence.refresh()
        if (seen === bodyBytes) this.end()
        done(undefined, chunk)
      },
      flush: (done) => done(seen === bodyBytes ? undefined : invalid()),
    })
    // A request that is refused before its body is read leaves it unread.
    body.on('error', () => {})
    source.once('error', () => this.#end(invalid()))
    source.once('aborted', () => this.#end(invalid()))
    this.body = source.pipe(body)
    if (bodyBytes === 0) this.end()
  }

  get isOver(): boolean {
    return this.#refusal !== undefined
  }

  get refusal(): GatewayRefused {
    return this.#refusal ?? invalid()
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #end(refusal: GatewayRefused): void {
    this.end()
    this.#refusal ??= refusal
    this.body.destroy(refusal)
  }
}
