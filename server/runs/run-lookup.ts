import type { Executing } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import { findRuns, type RunKey, type ShownRun } from './run-store.ts'

/** Reads runs by their keys, those that many requests ask for at once in one statement: what clients poll goes here. */
export class RunLookup {
  readonly #runs: Gathered<RunKey, ShownRun>

  constructor(db: Executing) {
    this.#runs = new Gathered((keys) => findRuns(db, keys))
  }

  find(key: RunKey): Promise<ShownRun | undefined> {
    return this.#runs.find(key)
  }
}
