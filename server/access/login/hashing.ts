import { CodedError } from '../../base/errors/coded-error.ts'
import { FairLanes, type LaneBounds } from '../../fairness/fair-lanes.ts'

/** Concurrent hashes. Each takes a core and 19 MiB. */
const concurrentHashes = 2

/** Hashes that wait, of everybody together. */
const waitingMax = 64
/** Of these, places that only known owners get. */
const keptForKnown = 16

const laneBounds: Omit<LaneBounds, 'waitingMax'> = {
  laneWaitingMax: 16,
  waitMs: 10_000,
  workingMax: 1,
  creditMs: 1000,
  creditMsPerSecond: 100,
}

/** A caller that waits for a hash. */
export interface HashOwner {
  /** The client address, or the company of a person who is logged in. */
  id: string
  /** The named person has logged in from this address before, or a person who is logged in sets a password. */
  isKnown: boolean
}

interface Slot {
  ready: () => void
  refuse: () => void
}

/** Known owners or strangers: the lanes of one of the two, and how many of their hashes run. */
class Queue {
  readonly lanes: FairLanes<Slot>
  working = 0

  constructor(placesMax: number) {
    this.lanes = new FairLanes({ ...laneBounds, waitingMax: placesMax }, () => performance.now())
  }
}

/**
 * Schedules password hashes: a few run concurrently, shared fairly between client addresses. An address with many
 * recent hashes is served after the others, and has at most one running. Requests that cannot wait get
 * `login_rate_limited`.
 *
 * An address costs a stranger nothing, so strangers can fill their places. Known owners have places of their own and
 * are served first, but leave one of the concurrent hashes to strangers who wait.
 */
export class Hashing {
  readonly #known = new Queue(keptForKnown)
  readonly #strangers = new Queue(waitingMax - keptForKnown)

  async inTurn<Result>({ id, isKnown }: HashOwner, work: () => Promise<Result>): Promise<Result> {
    const queue = isKnown ? this.#known : this.#strangers
    await new Promise<void>((ready, fail) => {
      const refuse = () => fail(new CodedError('login_rate_limited', { retry_after_seconds: 1 }))
      queue.lanes.add(id, { ready, refuse })?.refuse()
      this.#giveOut()
    })
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      queue.working -= 1
      queue.lanes.charge(id, performance.now() - startedAt)
      this.#giveOut()
    }
  }

  #giveOut(): void {
    for (const { lanes } of [this.#known, this.#strangers])
      for (const { refuse } of lanes.takeExpired()) refuse()
    while (this.#known.working + this.#strangers.working < concurrentHashes) {
      // While both wait, one hash of each runs.
      const inOrder =
        this.#known.working === 0 ? [this.#known, this.#strangers] : [this.#strangers, this.#known]
      if (!inOrder.some((queue) => this.#startOf(queue))) return
    }
  }

  #startOf(queue: Queue): boolean {
    const next = queue.lanes.take({ reserved: false })
    if (!next) return false
    queue.working += 1
    next.work.ready()
    return true
  }
}

/** The scheduler of this process. */
export const hashing = new Hashing()
