import { CodedError } from '../../base/errors/coded-error.ts'
import { FairLanes, type LaneBounds } from '../../base/sharing/fair-lanes.ts'

/** Concurrent hashes. Each takes a core and 19 MiB. */
const concurrentHashes = 2

const laneBounds: LaneBounds = {
  laneWaitingMax: 16,
  waitingMax: 64,
  waitMs: 10_000,
  workingMax: 1,
  creditMs: 1000,
  creditMsPerSecond: 100,
}

interface Place {
  ready: () => void
  refuse: () => void
}

/**
 * Schedules password hashes: a few run concurrently, shared fairly between client addresses. An address with many
 * recent hashes is served after the others, and has at most one running. Requests that cannot wait get
 * `login_rate_limited`.
 */
export class Hashing {
  readonly #lanes = new FairLanes<Place>(laneBounds, () => performance.now())
  #working = 0

  async inTurn<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((ready, fail) => {
      const refuse = () => fail(new CodedError('login_rate_limited', { retry_after_seconds: 1 }))
      this.#lanes.add(owner, { ready, refuse })?.refuse()
      this.#giveOut()
    })
    const startedAt = performance.now()
    try {
      return await work()
    } finally {
      this.#working -= 1
      this.#lanes.charge(owner, performance.now() - startedAt)
      this.#giveOut()
    }
  }

  #giveOut(): void {
    for (const { refuse } of this.#lanes.takeExpired()) refuse()
    while (this.#working < concurrentHashes) {
      const next = this.#lanes.take({ reserved: false })
      if (!next) return
      this.#working += 1
      next.work.ready()
    }
  }
}

/** The scheduler of this process. */
export const hashing = new Hashing()
