import { logMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { RunLogEvent } from '@sandbox-jobs/contract/resources/run-log-event.ts'
import { sleep } from '../base/clock.ts'
import type { LogPart } from '../executor/port.ts'
import type { Principal } from '../platform/principal.ts'
import { readLiveLog, wantLiveLog } from './live-log-store.ts'
import { findStoredLog, type RunLogDeps } from './read-run-log.ts'
import { type RunAddress, requireReadableRun } from './read-runs.ts'
import type { ShownRun } from './run-store.ts'
import { wholeCharacters } from './whole-characters.ts'

/** An event and the position behind it. */
export interface PlacedEvent {
  position: number
  event: RunLogEvent
}

const lookEveryMs = 200
const wishEveryMs = 2000
const longestMs = 15 * 60_000
const followersPerCompany = 32

/**
 * The logs that are followed through this process. Who follows wishes for the log in the database; the worker that has the
 * run brings its newest part there. When the run has ended, the rest comes from the log that it left.
 */
export class LogFollowers {
  readonly #deps: RunLogDeps
  readonly #counts = new Map<string, number>()

  constructor(deps: RunLogDeps) {
    this.#deps = deps
  }

  /** Throws `not_found` before the first event; the events end when the run has, when their time is over, or when too many follow. */
  async follow(
    principal: Principal,
    { start, ...address }: RunAddress & { start: number },
  ): Promise<AsyncGenerator<PlacedEvent>> {
    const run = await requireReadableRun(this.#deps, principal, address)
    return this.#counted(run.company_id, this.#events(principal, address, start))
  }

  async *#counted(companyId: string, events: AsyncGenerator<PlacedEvent>): AsyncGenerator<PlacedEvent> {
    const count = this.#counts.get(companyId) ?? 0
    if (count >= followersPerCompany) return
    this.#counts.set(companyId, count + 1)
    try {
      yield* events
    } finally {
      const left = (this.#counts.get(companyId) ?? 1) - 1
      if (left === 0) this.#counts.delete(companyId)
      else this.#counts.set(companyId, left)
    }
  }

  async *#events(principal: Principal, address: RunAddress, start: number): AsyncGenerator<PlacedEvent> {
    const { db } = this.#deps
    let position = start
    let wish = { state: '', nextAt: 0 }
    const endAt = performance.now() + longestMs
    while (performance.now() < endAt) {
      const run = await requireReadableRun(this.#deps, principal, address)
      if (run.terminal_at !== null) return yield* this.#rest(run, position)
      // No worker hears of a wish before it has the run.
      if (performance.now() >= wish.nextAt || run.state !== wish.state) {
        await wantLiveLog(db, run)
        wish = { state: run.state, nextAt: performance.now() + wishEveryMs }
      }
      const part = await readLiveLog(db, run, position)
      for (const placed of part ? eventsOf(part, position) : []) {
        position = placed.position
        yield placed
      }
      await sleep(lookEveryMs)
    }
  }

  /** Up to the cut of a log, and in one without a cut, positions in the log that is kept are those of all that was logged. */
  async *#rest(run: ShownRun, from: number): AsyncGenerator<PlacedEvent> {
    const log = await findStoredLog(this.#deps, run)
    let position = from
    const isWhole = log !== undefined && log.byteSize <= logMaxBytes
    if (log && (isWhole || from <= logMaxBytes / 2)) {
      let held: Buffer = Buffer.alloc(0)
      for await (const chunk of await log.open({ start: from })) {
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
    yield { position, event: { kind: 'end', status: run.state as PlacedStatus } }
  }
}

type PlacedStatus = Extract<RunLogEvent, { kind: 'end' }>['status']

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
