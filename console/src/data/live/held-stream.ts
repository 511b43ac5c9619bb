import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { addressOf } from '../api/api.ts'
import { signInNeeded } from '../api/sign-in-state.ts'
import { Store } from '../store.ts'

const retryMs = 30_000
/** A screen that opens may need several topics. */
const gatherMs = 150

/** Whether events come. While they do not, lists are read again by the clock. */
export const isStreamUp = new Store(false)

export interface Follower {
  onEvent: (event: LiveEvent) => void
  /** Asks the service whether somebody is signed in, which `signInNeeded` says afterwards. */
  checkSignIn: () => Promise<void>
}

const kinds = [
  'resync',
  'service',
  'run',
  'build',
  'menu',
  'inbox',
  'notification',
] as const satisfies LiveEvent['kind'][]

/** The event stream of a browser. It is opened again when a topic is missing, and after a sign-out with the next sign-in. */
export class HeldStream {
  readonly #follower: Follower
  readonly #wanted: () => string[]
  #source: EventSource | undefined
  #topics: readonly string[] = []
  #isGathering = false
  #isSignedOut = false

  constructor(follower: Follower, wanted: () => string[]) {
    this.#follower = follower
    this.#wanted = wanted
    this.#open()
  }

  /** Somebody is signed in: the stream may be opened again. */
  wake(): void {
    if (!this.#isSignedOut) return
    this.#isSignedOut = false
    this.#open()
  }

  /** Topics have changed. One that nobody needs any more does no harm. */
  update(): void {
    if (this.#wanted().every((topic) => this.#topics.includes(topic))) return
    if (this.#isGathering) return
    this.#isGathering = true
    setTimeout(() => {
      this.#isGathering = false
      if (this.#source) this.#open()
    }, gatherMs)
  }

  /** The browser connects again by itself, unless the service refused or gave the stream to somebody else. */
  #open(): void {
    this.#source?.close()
    this.#topics = this.#wanted()
    const source = new EventSource(
      addressOf(allRoutes.followEvents, { query: { topics: this.#topics.join(',') } }),
    )
    this.#source = source
    for (const kind of kinds) {
      source.addEventListener(kind, ({ data }: MessageEvent<string>) => {
        isStreamUp.set(true)
        this.#follower.onEvent(JSON.parse(data) as LiveEvent)
      })
    }
    source.addEventListener('replaced', () => {
      isStreamUp.set(false)
      void this.#tryLater(source)
    })
    source.addEventListener('error', () => {
      isStreamUp.set(false)
      if (source.readyState === EventSource.CLOSED) void this.#tryLater(source)
    })
  }

  async #tryLater(source: EventSource): Promise<void> {
    source.close()
    if (this.#source !== source) return
    this.#source = undefined
    await this.#follower.checkSignIn()
    if (signInNeeded.get()) this.#isSignedOut = true
    else setTimeout(() => this.#open(), retryMs)
  }
}
