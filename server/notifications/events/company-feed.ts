import { sleep } from '../../base/clock.ts'
import type { Database } from '../../db/database.ts'
import type { ChangeSubscription, Changes } from '../../live-logs/company-changes.ts'
import type { LogUpdates } from '../../live-logs/log-updates.ts'
import { watchCompany, watchCompanyAgainMs } from '../../state-watch/watch-company.ts'
import { type EventTopics, includes } from './event-topics.ts'
import type { CompanyEvent, PendingEvents } from './pending-events.ts'
import { readChanges } from './read-changes.ts'

/*
 * Changes in a company are read once for all of its streams in this process, ten times a second at most. Each stream decides by its
 * own rights which of them it passes on.
 */

export interface FeedDeps {
  db: Database
  updates: LogUpdates
}

/** A stream, as the reading of its company knows it. */
export interface Follower {
  topics: EventTopics
  userId: string
  pending: PendingEvents
}

/** Two readings of a company are at least so far apart. */
const pauseMs = 100
/** A reading without changes costs no statement. */
const idleMs = 5000

/** The readings of all companies that have streams. */
export class CompanyFeeds {
  readonly #deps: FeedDeps
  readonly #feeds = new Map<string, CompanyFeed>()

  constructor(deps: FeedDeps) {
    this.#deps = deps
  }

  /** Adds a follower. Changes after `isWatched` has resolved reach it. */
  join(companyId: string, follower: Follower): { isWatched: Promise<void>; leave: () => void } {
    const feed = this.#feeds.get(companyId) ?? this.#begin(companyId)
    feed.followers.add(follower)
    const leave = () => {
      feed.followers.delete(follower)
      if (feed.followers.size === 0) this.#end(companyId, feed)
    }
    return { isWatched: feed.isWatched, leave }
  }

  #begin(companyId: string): CompanyFeed {
    const feed = new CompanyFeed(this.#deps, companyId)
    this.#feeds.set(companyId, feed)
    feed.over.catch((error) => {
      // A new follower makes a new reading.
      this.#end(companyId, feed)
      for (const { pending } of feed.followers) pending.fail(error)
    })
    return feed
  }

  #end(companyId: string, feed: CompanyFeed): void {
    feed.end()
    if (this.#feeds.get(companyId) === feed) this.#feeds.delete(companyId)
  }
}

class CompanyFeed {
  readonly followers = new Set<Follower>()
  /** Resolves when the database notifies of changes. */
  readonly isWatched: Promise<void>
  /** Rejects when reading failed. */
  readonly over: Promise<void>
  readonly #db: Database
  readonly #companyId: string
  readonly #changes: ChangeSubscription
  readonly #ending = new AbortController()

  constructor({ db, updates }: FeedDeps, companyId: string) {
    this.#db = db
    this.#companyId = companyId
    this.#changes = updates.changesOf(companyId)
    this.isWatched = watchCompany(db, companyId)
    this.over = this.#readUntilEnd()
  }

  end(): void {
    this.#ending.abort()
  }

  async #readUntilEnd(): Promise<void> {
    const { signal } = this.#ending
    try {
      await this.isWatched
      let watchAt = performance.now() + watchCompanyAgainMs
      while (!signal.aborted) {
        if (performance.now() >= watchAt) {
          await watchCompany(this.#db, this.#companyId)
          watchAt = performance.now() + watchCompanyAgainMs
        }
        await this.#pass(this.#changes.take())
        await sleep(pauseMs, signal)
        await this.#changes.next(idleMs)
      }
    } finally {
      this.#changes.close()
    }
  }

  async #pass(changes: Changes): Promise<void> {
    const events = await this.#read(changes)
    for (const { topics, userId, pending } of this.followers) {
      if (!changes.areAll) pending.lose()
      pending.add(events.filter((event) => includes(topics, userId, event)))
    }
  }

  #read({ ids }: Changes): Promise<CompanyEvent[]> {
    const followers = [...this.followers]
    const people = new Set(followers.map(({ userId }) => userId))
    const builds = new Set(followers.flatMap(({ topics }) => [...topics.buildIds]))
    const followed = {
      ...ids,
      user: ids.user.filter((id) => people.has(id)),
      build: ids.build.filter((id) => builds.has(id)),
    }
    return readChanges(this.#db, this.#companyId, followed)
  }
}
