import type { Readable } from 'node:stream'
import type { BuildLogEvent, RunLogEvent } from '@sandbox-jobs/contract/resources/runs/log-event.ts'
import type { LogPart } from '../../agent/port/results.ts'
import type { Database } from '../db/database.ts'
import { SharedSlots, type SlotBounds } from '../fairness/shared-slots.ts'
import { type LogSubject, readLiveLog, requestLiveLog } from './live-log-store.ts'
import type { LogSubscription, LogUpdates } from './log-updates.ts'
import { wholeCharacters } from './whole-characters.ts'

type LogEvent = RunLogEvent | BuildLogEvent

/** An event and the position after it, in bytes of the whole log. */
export interface PositionedEvent {
  position: number
  event: LogEvent
}

/** The followed run or build and its present state. */
export interface FollowedWork extends LogSubject {
  state: Extract<LogEvent, { kind: 'end' }>['status']
  hasEnded: boolean
}

export interface StoredLog {
  byteSize: number
  open(range: { start: number }): Promise<Readable>
}

/** How to follow one log. */
export interface FollowedLog {
  /** Throws if the caller may not, or no longer, see the log. */
  read(): Promise<FollowedWork>
  /** The stored log, once the work has ended. */
  stored(): Promise<StoredLog | undefined>
  /** A longer log is stored as half of this of its head and as much of its tail. */
  maxBytes: number
}

/** Where a follower starts; `signal` fires when it has left. */
export interface Following {
  start: number
  signal: AbortSignal
}

/** Polling covers what no notification reports: the end of the work, and lost notifications. */
const pollIntervalMs = 200
const requestIntervalMs = 2000
/** While the stored log is sent. */
const readIntervalMs = 2000
const followMaxMs = 15 * 60_000
const followerBounds: SlotBounds = { all: 256, each: 32, assuredEach: 4 }

/**
 * The logs that are followed through this process. A follower requests the log in the database; the worker that has
 * the sandbox streams the newest part to the database. When the work has ended, the rest comes from its stored log.
 */
export class LogFollowers {
  readonly #db: Database
  readonly #updates: LogUpdates
  readonly #slots = new SharedSlots(followerBounds)

  constructor(db: Database, updates: LogUpdates) {
    this.#db = db
    this.#updates = updates
  }

  /**
   * The events from position `start` on; throws like `read` before the first of them. They end with the work, at the
   * time limit, when there are too many followers, or when `signal` fires: while a log is silent, nothing else shows that its
   * follower has left.
   */
  async follow(log: FollowedLog, from: Following): Promise<AsyncGenerator<PositionedEvent>> {
    const { id, company_id: companyId } = await log.read()
    return this.#counted(companyId, this.#subscribed(id, log, from))
  }

  async *#counted(
    companyId: string,
    events: AsyncGenerator<PositionedEvent>,
  ): AsyncGenerator<PositionedEvent> {
    const release = this.#slots.take(companyId)
    if (!release) return
    try {
      yield* events
    } finally {
      release()
    }
  }

  async *#subscribed(id: string, log: FollowedLog, from: Following): AsyncGenerator<PositionedEvent> {
    const subscription = this.#updates.of(id)
    try {
      yield* this.#events(log, from, subscription)
    } finally {
      subscription.close()
    }
  }

  async *#events(
    log: FollowedLog,
    { start, signal }: Following,
    subscription: LogSubscription,
  ): AsyncGenerator<PositionedEvent> {
    let position = start
    let request = { state: '', nextAt: 0 }
    const endAt = performance.now() + followMaxMs
    while (performance.now() < endAt && !signal.aborted) {
      const work = await log.read()
      if (work.hasEnded) {
        let readAgainAt = performance.now() + readIntervalMs
        for await (const placed of rest(log, position)) {
          position = placed.position
          yield placed
          // The reader may be slow, and may have lost the right to read it.
          if (performance.now() >= endAt || signal.aborted) return
          if (performance.now() < readAgainAt) continue
          await log.read()
          readAgainAt = performance.now() + readIntervalMs
        }
        return yield { position, event: { kind: 'end', status: work.state } }
      }
      // A request before the worker has claimed the work reaches no worker, so a new state repeats it.
      if (performance.now() >= request.nextAt || work.state !== request.state) {
        await requestLiveLog(this.#db, work)
        request = { state: work.state, nextAt: performance.now() + requestIntervalMs }
      }
      const part = await readLiveLog(this.#db, work, position)
      for (const placed of part ? eventsOf(part, position) : []) {
        position = placed.position
        yield placed
      }
      await subscription.next(pollIntervalMs)
    }
  }
}

/** Positions of the stored log are those of the whole log up to its cut, and everywhere if it was not cut. */
async function* rest(log: FollowedLog, from: number): AsyncGenerator<PositionedEvent> {
  const stored = await log.stored()
  const isPlaced = stored && (stored.byteSize <= log.maxBytes || from <= log.maxBytes / 2)
  if (!isPlaced) return
  let position = from
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of await stored.open({ start: from })) {
    const bytes = Buffer.concat([held, chunk as Buffer])
    const size = wholeCharacters(bytes)
    held = bytes.subarray(size)
    for (const placed of eventsOf({ start: position, bytes: bytes.subarray(0, size) }, position)) {
      position = placed.position
      yield placed
    }
  }
  if (held.length > 0) yield logged(position, held)
}

/** Whole characters only: the bytes of a split one come with the next part. */
function* eventsOf(part: LogPart, position: number): Generator<PositionedEvent> {
  if (part.start > position) {
    yield { position: part.start, event: { kind: 'gap', start: position, end: part.start } }
  }
  const size = wholeCharacters(part.bytes)
  if (size === 0) return
  yield logged(part.start, part.bytes.subarray(0, size))
}

const logged = (start: number, bytes: Buffer): PositionedEvent => ({
  position: start + bytes.length,
  event: { kind: 'log', start, text: bytes.toString('utf8') },
})
