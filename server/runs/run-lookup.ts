import type { Executing } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import type { QueuePolicy } from './queue-policy.ts'
import { findRuns, type RunKey, type ShownRun } from './run-store.ts'
import { type QueueWait, queueWaits } from './run-waits.ts'

/** Reads runs by their keys, those that many requests ask for at once in one statement: what clients poll goes here. */
export class RunLookup {
  readonly #runs: Gathered<RunKey, ShownRun>
  readonly #waits: Gathered<ShownRun, QueueWait>

  constructor(db: Executing, policy: QueuePolicy) {
    this.#runs = new Gathered((keys) => findRuns(db, keys))
    this.#waits = new Gathered(async (runs) => {
      const waits = await queueWaits(db, policy, runs)
      return runs.map(({ id }) => waits.get(id))
    })
  }

  find(key: RunKey): Promise<ShownRun | undefined> {
    return this.#runs.find(key)
  }

  /** What the run waits for; undefined when it is not queued, or not any more. */
  async waitOf(run: ShownRun): Promise<QueueWait | undefined> {
    return run.state === 'queued' ? this.#waits.find(run) : undefined
  }
}
