import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { CurrentPrincipal, Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { SharedSlots } from '../../fairness/shared-slots.ts'
import { CompanyFeeds, type FeedDeps } from './company-feed.ts'
import type { EventTopics } from './event-topics.ts'
import { PendingEvents } from './pending-events.ts'
import { rightsMs, StreamRights } from './stream-rights.ts'

/*
 * Streams of what happens in a company, for the user interfaces of its people. Changes are read once for all streams of the company
 * (`company-feed.ts`); each stream passes on what its person may see. The rest is kept until the rights of the person are read the next
 * time, so that nothing is missing for somebody who has just joined a room.
 */

export interface LiveEventDeps extends FeedDeps {
  directory: Directory
  /** Of the service, as each follower is notified. */
  service: { isEnabled: () => boolean; version: string }
}

interface Followed {
  topics: EventTopics
  seconds: number
  signal: AbortSignal
}

interface PositionedLiveEvent {
  position: number
  event: LiveEvent
}

const slotBounds = { all: 1024, each: 128, assuredEach: 8 }
const retryAfterSeconds = 5

/** Streams of events of one API process. */
export class LiveEvents {
  readonly #deps: LiveEventDeps
  readonly #slots = new SharedSlots(slotBounds)
  readonly #feeds: CompanyFeeds
  /** The one stream of each sign-in, key or person. */
  readonly #streams = new Map<string, AbortController>()

  constructor(deps: LiveEventDeps) {
    this.#deps = deps
    this.#feeds = new CompanyFeeds(deps)
  }

  /**
   * Events about the topics, until the time is over, `signal` fires or the follower has another stream. Throws 429 `watchers_busy`
   * before the first, and later what `current` throws.
   */
  async follow(current: CurrentPrincipal, followed: Followed): Promise<AsyncGenerator<PositionedLiveEvent>> {
    const { signal } = followed
    const principal = await current()
    const release = this.#slots.take(principal.companyId)
    if (!release) throw new CodedError('watchers_busy', { retry_after_seconds: retryAfterSeconds })
    // A reader that leaves before the first event starts no generator, whose end would release the slot.
    signal.addEventListener('abort', release, { once: true })
    if (signal.aborted) release()
    return this.#numbered(this.#events(current, { ...followed, principal }), release)
  }

  async *#numbered(
    events: AsyncGenerator<LiveEvent>,
    release: () => void,
  ): AsyncGenerator<PositionedLiveEvent> {
    let position = 0
    try {
      for await (const event of events) {
        position += 1
        yield { position, event }
      }
    } finally {
      release()
    }
  }

  async *#events(
    current: CurrentPrincipal,
    { principal, topics, seconds, signal }: Followed & { principal: Principal },
  ): AsyncGenerator<LiveEvent> {
    const newer = this.#replace(ownerOf(principal))
    const over = AbortSignal.any([signal, newer.signal])
    const pending = new PendingEvents()
    const follower = { topics, userId: principal.principalId, pending }
    const { isWatched, leave } = this.#feeds.join(principal.companyId, follower)
    const { directory, service } = this.#deps
    const rights = new StreamRights(directory)
    try {
      const endAt = performance.now() + seconds * 1000
      await isWatched
      yield { kind: 'resync' }
      let isEnabled: boolean | undefined
      while (!over.aborted) {
        if (isEnabled !== service.isEnabled()) {
          isEnabled = service.isEnabled()
          yield { kind: 'service', enabled: isEnabled, version: service.version }
        }
        yield* permitted(await current(), rights, pending)
        const leftMs = endAt - performance.now()
        if (leftMs <= 0) return
        await until(over, pending.next(Math.min(rightsMs, leftMs)))
      }
      if (newer.signal.aborted) yield { kind: 'replaced' }
    } finally {
      leave()
      this.#forget(ownerOf(principal), newer)
    }
  }

  /** Ends the stream that the owner has. */
  #replace(owner: string): AbortController {
    this.#streams.get(owner)?.abort()
    const newer = new AbortController()
    this.#streams.set(owner, newer)
    return newer
  }

  #forget(owner: string, stream: AbortController): void {
    if (this.#streams.get(owner) === stream) this.#streams.delete(owner)
  }
}

/** The events that the person may see; the rest waits until the rights are read again. */
async function* permitted(
  principal: Principal,
  rights: StreamRights,
  pending: PendingEvents,
): AsyncGenerator<LiveEvent> {
  const { events, isComplete } = pending.take()
  if (!isComplete) yield { kind: 'resync' }
  if (events.length === 0) return
  const { sees, areNew } = await rights.read(principal)
  for (const each of events) {
    if (sees(each)) yield each.event
    else if (!areNew) pending.keep(each)
  }
}

/** The owner of one stream. */
const ownerOf = ({ signInId, apiKey, principalId }: Principal): string =>
  signInId ?? apiKey?.id ?? principalId

/** Waits, but no longer than until the stream is over. */
async function until(over: AbortSignal, waiting: Promise<unknown>): Promise<void> {
  if (over.aborted) return
  const ended = Promise.withResolvers<void>()
  const end = () => ended.resolve()
  over.addEventListener('abort', end, { once: true })
  await Promise.race([waiting, ended.promise])
  over.removeEventListener('abort', end)
}
