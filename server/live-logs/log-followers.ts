import type { Readable } from 'node:stream'
import type { BuildLogEvent, RunLogEvent } from '@sandbox-jobs/contract/resources/log-event.ts'
import type { Database } from '../db/database.ts'
import type { LogPart } from '../executor/port.ts'
import { type LogSubject, readLiveLog, wantLiveLog } from './live-log-store.ts'
import type { LiveNews, LogEar } from './log-news.ts'
import { wholeCharacters } from './whole-characters.ts'

type LogEvent = RunLogEvent | BuildLogEvent

/** An event and the position behind it, in bytes of all that was logged. */
export interface PlacedEvent {
  position: number
  event: LogEvent
}

/** What is logged, as it is now. */
export interface LoggedWork extends LogSubject {
  state: Extract<LogEvent, { kind: 'end' }>['status']
  hasEnded: boolean
}

export interface StoredLog {
  byteSize: number
  open(range: { start: number }): Promise<Readable>
}

/** How one log is followed. */
export interface FollowedLog {
  /** Throws for who may not, or not any more, see it. */
  look(): Promise<LoggedWork>
  /** What the work has left when it has ended. */
  stored(): Promise<StoredLog | undefined>
  /** A longer log keeps half of this of its head, and as much of its tail. */
  maxBytes: number
}

/** Without news: an end is not told, nor what a broken connection lost. */
const lookEveryMs = 200
const wishEveryMs = 2000
const longestMs = 15 * 60_000
const followersPerCompany = 32
/** Of all companies together; some of each come in beyond it, so that others cannot take the last place. */
const followersMax = 256
const assuredPerCompany = 4

/**
 * The logs that are followed through this process. Who follows wishes for the log in the database; the worker that has
 * the sandbox brings its newest part there. When the work has ended, the rest comes from the log that it left.
 */
export class LogFollowers {
  readonly #db: Database
  readonly #news: LiveNews
  readonly #counts = new Map<string, number>()

  constructor(db: Database, news: LiveNews) {
    this.#db = db
    this.#news = news
  }

  /**
   * The events from position `start` on; throws as `look` does before the first of them. They end with the work, when
   * their time is over, or when too many follow.
   */
  async follow(log: FollowedLog, start: number): Promise<AsyncGenerator<PlacedEvent>> {
    const { id, company_id: companyId } = await log.look()
    return this.#counted(companyId, this.#heard(id, log, start))
  }

  async *#counted(companyId: string, events: AsyncGenerator<PlacedEvent>): AsyncGenerator<PlacedEvent> {
    const count = this.#counts.get(companyId) ?? 0
    const all = this.#counts.values().reduce((sum, one) => sum + one, 0)
    if (count >= followersPerCompany || (all >= followersMax && count >= assuredPerCompany)) return
    this.#counts.set(companyId, count + 1)
    try {
      yield* events
    } finally {
      const left = (this.#counts.get(companyId) ?? 1) - 1
      if (left === 0) this.#counts.delete(companyId)
      else this.#counts.set(companyId, left)
    }
  }

  async *#heard(id: string, log: FollowedLog, start: number): AsyncGenerator<PlacedEvent> {
    const ear = this.#news.of(id)
    try {
      yield* this.#events(log, start, ear)
    } finally {
      ear.close()
    }
  }

  async *#events(log: FollowedLog, start: number, ear: LogEar): AsyncGenerator<PlacedEvent> {
    let position = start
    let wish = { state: '', nextAt: 0 }
    const endAt = performance.now() + longestMs
    while (performance.now() < endAt) {
      const work = await log.look()
      if (work.hasEnded) {
        for await (const placed of rest(log, position)) {
          position = placed.position
          yield placed
        }
        return yield { position, event: { kind: 'end', status: work.state } }
      }
      // No worker hears of a wish before it has the work.
      if (performance.now() >= wish.nextAt || work.state !== wish.state) {
        await wantLiveLog(this.#db, work)
        wish = { state: work.state, nextAt: performance.now() + wishEveryMs }
      }
      const part = await readLiveLog(this.#db, work, position)
      for (const placed of part ? eventsOf(part, position) : []) {
        position = placed.position
        yield placed
      }
      await ear.next(lookEveryMs)
    }
  }
}

/** Up to the cut of a log, and in one without a cut, positions in the log that is kept are those of all that was logged. */
async function* rest(log: FollowedLog, from: number): AsyncGenerator<PlacedEvent> {
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

/** Whole characters only: the rest comes with what follows it. */
function* eventsOf(part: LogPart, position: number): Generator<PlacedEvent> {
  if (part.start > position) {
    yield { position: part.start, event: { kind: 'gap', start: position, end: part.start } }
  }
  const size = wholeCharacters(part.bytes)
  if (size === 0) return
  yield logged(part.start, part.bytes.subarray(0, size))
}

const logged = (start: number, bytes: Buffer): PlacedEvent => ({
  position: start + bytes.length,
  event: { kind: 'log', start, text: bytes.toString('utf8') },
})
