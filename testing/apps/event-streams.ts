import assert from 'node:assert/strict'
import type { LiveEvent } from '@sandbox-jobs/contract/resources/notifications/live-event.ts'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { Directory } from '../../server/access/directory/directory.ts'
import type { Principal } from '../../server/access/principal.ts'
import { createLog } from '../../server/base/logging.ts'
import type { Database } from '../../server/db/database.ts'
import { DatabaseLogUpdates } from '../../server/live-logs/log-updates.ts'
import { readTopics } from '../../server/notifications/events/event-topics.ts'
import { LiveEvents } from '../../server/notifications/events/live-events.ts'

const version = '1.2.3'

/** Streams of events over a test database, which end after each test. */
export class EventStreams {
  readonly #live: LiveEvents
  /** Whether the service takes changes. */
  isEnabled = true
  #leaving: AbortController[] = []

  constructor({ db, url }: { db: Database; url: string }) {
    const updates = new DatabaseLogUpdates({ url, log: createLog('test', 'silent') })
    this.#live = new LiveEvents({
      db,
      directory: new Directory(db),
      updates,
      service: { isEnabled: () => this.isEnabled, version },
    })
    // Keeps the connection that listens open.
    const subscription = updates.of('nothing')
    beforeAll(() => subscription.next(60_000))
    afterAll(() => subscription.close())
    afterEach(() => {
      for (const each of this.#leaving.splice(0)) each.abort()
    })
  }

  /** A stream that has begun: what changes from now on is notified. */
  async follow(principal: Principal, topics: string, current = async () => principal) {
    const left = new AbortController()
    this.#leaving.push(left)
    const followed = { topics: readTopics(topics), seconds: 60, signal: left.signal }
    const events = await this.#live.follow(current, followed)
    const next = async (): Promise<LiveEvent | undefined> => (await events.next()).value?.event
    const service = { kind: 'service', enabled: this.isEnabled, version }
    assert.deepEqual([await next(), await next()], [{ kind: 'resync' }, service])
    return { next, leave: () => left.abort() }
  }
}
