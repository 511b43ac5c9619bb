import type { Executing } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import type { ShownRun } from '../model/run-row.ts'
import { findRuns, type RunKey } from '../model/run-store.ts'
import type { QueuePolicy } from '../queue/queue-policy.ts'
import { type QueueWait, queueWaits } from '../queue/run-waits.ts'
import { findStored, type StoredLookup, type StoredOfRun } from '../results/stored-statement.ts'

/** Reads runs by key, batched over concurrent requests, because clients poll this. */
export class RunLookup {
  readonly #runs: Batcher<RunKey, ShownRun>
  readonly #waits: Batcher<ShownRun, QueueWait>
  readonly #stored: Batcher<StoredLookup, StoredOfRun>

  constructor(db: Executing, policy: QueuePolicy) {
    this.#runs = new Batcher((keys) => findRuns(db, keys))
    this.#waits = new Batcher(async (runs) => {
      const waits = await queueWaits(db, policy, runs)
      return runs.map(({ id }) => waits.get(id))
    })
    this.#stored = new Batcher((requested) => findStored(db, requested))
  }

  find(key: RunKey): Promise<ShownRun | undefined> {
    return this.#runs.add(key)
  }

  /** The wait of the run. Undefined if it is not, or no longer, queued. */
  async waitOf(run: ShownRun): Promise<QueueWait | undefined> {
    return run.state === 'queued' ? this.#waits.add(run) : undefined
  }

  /** The stored results of a run, with at most so many of its artifacts that can be downloaded. */
  async storedOf(
    { id, company_id: companyId }: Pick<ShownRun, 'id' | 'company_id'>,
    artifactsMax: number,
  ): Promise<StoredOfRun> {
    const stored = await this.#stored.add({ companyId, id, artifactsMax })
    return stored ?? { content: undefined, artifacts: [], artifactsTotal: 0 }
  }
}
