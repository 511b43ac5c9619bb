import { CodedError } from '../base/coded-error.ts'
import { FairLanes, type LaneBounds } from '../base/fair-lanes.ts'

/** Hashes at once; each takes a core and 19 MiB. */
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
 * Password hashes, a few at once, shared fairly between the addresses that ask for them: who has had many lately is served
 * after the others, and has one at work. What cannot wait is told `login_rate_limited`.
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

/** That of this process. */
export const hashing = new Hashing()
