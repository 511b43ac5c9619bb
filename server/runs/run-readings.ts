import type { RunDetail } from '@sandbox-jobs/contract/resources/run.ts'
import { RecentMap } from '../base/recent-map.ts'
import type { Rendered } from '../base/rendered.ts'
import type { Executing } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import type { FindKey } from '../platform/authentication.ts'
import type { RunAddress } from './read-runs.ts'
import { type AskedReading, findReadings, type RunReading, readingText } from './run-reading-store.ts'

const keptMin = 1024
/** Longer texts, of keys for many rooms, are not kept. */
const keptTextMax = 4096

/**
 * Reads of one run by API key, which is what clients poll: the key, what its owner is in the room and the run come from
 * one statement for all reads of a moment. What may be told of them is decided afterwards, as for any other reader.
 *
 * Everything is looked up for every read, but mostly it reads as it did before. So what was made of a text is kept with
 * the text, and made anew when the text is another: it depends on nothing else.
 */
export class RunReadings {
  readonly #texts: Gathered<AskedReading, string>
  readonly #kept = new RecentMap<KeptReading>(keptMin)

  constructor(db: Executing) {
    this.#texts = new Gathered((asked) => findReadings(db, asked))
  }

  /** A read that looks the run up once its key is looked up; nothing of it is looked up for who comes with a token. */
  begin(address: RunAddress): BegunReading {
    const begun: BegunReading = {
      findKey: async (keyHash) => {
        const text = await this.#texts.find({ keyHash, ...address })
        if (text === undefined) return undefined
        begun.reading = this.#readingOf(keyHash.toString('latin1') + address.runId, text)
        return begun.reading.row
      },
    }
    return begun
  }

  #readingOf(place: string, text: string): KeptReading {
    const kept = this.#kept.get(place)
    if (kept?.text === text) return kept
    const reading = { text: copyOf(text), row: readingText.read(text) }
    if (text.length <= keptTextMax) this.#kept.set(place, reading)
    return reading
  }
}

/** A piece of a text would keep all of it in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString()

/** A reading, and what was made of it. */
export interface KeptReading {
  readonly text: string
  readonly row: Readonly<RunReading>
  /** The run as it is shown, once it was; never that of a queued one, which tells of others too. */
  shown?: Rendered<RunDetail>
}

export interface BegunReading {
  findKey: FindKey
  reading?: KeptReading
}
