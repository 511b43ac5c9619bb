import { Store } from '../store.ts'

/** Whether the service answers. While it does not, `retryAt` is when the page tries again. */
type ConnectionState = { isUp: true } | { isUp: false; retryAt: number }

const firstDelayMs = 1000
const maxDelayMs = 30_000
const up: ConnectionState = { isUp: true }

/**
 * Follows whether the service answers. After a request without an answer it tries `probe` in 1 s, doubling to 30 s, and
 * at once when `tryNow` is called.
 */
export class Connection {
  readonly state = new Store<ConnectionState>(up)
  readonly #probe: () => Promise<unknown>
  #delayMs = firstDelayMs
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe
  }

  /** A request had an answer, whatever it says. */
  answered(): void {
    if (this.state.get().isUp) return
    clearTimeout(this.#timer)
    this.#delayMs = firstDelayMs
    this.state.set(up)
  }

  /** A request had no answer. */
  failed(): void {
    if (this.state.get().isUp) this.#waitAndTry()
  }

  readonly tryNow = (): void => {
    if (this.state.get().isUp) return
    clearTimeout(this.#timer)
    this.#probe().then(
      () => this.answered(),
      () => this.#waitAndTry(),
    )
  }

  #waitAndTry(): void {
    this.#timer = setTimeout(this.tryNow, this.#delayMs)
    this.state.set({ isUp: false, retryAt: Date.now() + this.#delayMs })
    this.#delayMs = Math.min(this.#delayMs * 2, maxDelayMs)
  }
}
