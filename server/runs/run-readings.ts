import type { Executing } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import type { FindKey } from '../platform/authentication.ts'
import type { RunAddress } from './read-runs.ts'
import { type AskedReading, findReadings, type RunReading } from './run-reading-store.ts'

/**
 * Reads of one run by API key, which is what clients poll: the key, what its owner is in the room and the run come from
 * one statement for all reads of a moment. What may be told of them is decided afterwards, as for any other reader.
 */
export class RunReadings {
  readonly #rows: Gathered<AskedReading, RunReading>

  constructor(db: Executing) {
    this.#rows = new Gathered((asked) => findReadings(db, asked))
  }

  /** A read that looks the run up once its key is looked up; nothing of it is looked up for who comes with a token. */
  begin(address: RunAddress): BegunReading {
    const begun: BegunReading = {
      findKey: async (keyHash) => {
        begun.reading = await this.#rows.find({ keyHash, ...address })
        return begun.reading
      },
    }
    return begun
  }
}

export interface BegunReading {
  findKey: FindKey
  reading?: RunReading | undefined
}
