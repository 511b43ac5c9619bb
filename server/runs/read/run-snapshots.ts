import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import type { FindKey } from '../../access/authentication/authentication.ts'
import { RecentMap } from '../../base/recent-map.ts'
import type { Rendered } from '../../base/rendered.ts'
import type { Executing } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import type { RunAddress } from '../lookup/readable-run.ts'
import { findSnapshotTexts, type RunSnapshot, type SnapshotKey, snapshotText } from './run-snapshot-store.ts'

const cachedMin = 1024
/** Longer texts, such as those of keys for many rooms, are not cached. */
const cachedTextMax = 4096

/**
 * Reads of one run by API key, which is what clients poll. One statement for all concurrent reads returns the key, its
 * owner's membership of the room and the run. Permissions are checked afterwards, as for any other caller.
 *
 * Every read queries the database, but mostly the text is the same as before. So the parsed and rendered row is cached with
 * the text and reused only if the text is equal: it depends on nothing else.
 */
export class RunSnapshots {
  readonly #texts: Batcher<SnapshotKey, string>
  readonly #kept = new RecentMap<CachedSnapshot>(cachedMin)

  constructor(db: Executing) {
    this.#texts = new Batcher((requested) => findSnapshotTexts(db, requested))
  }

  /** A read whose run is loaded together with the API key. A caller with another credential loads nothing here. */
  begin(address: RunAddress): SnapshotRead {
    const reading: SnapshotRead = {
      findKey: async (keyHash) => {
        const text = await this.#texts.add({ keyHash, ...address })
        if (text === undefined) return undefined
        reading.snapshot = this.#readingOf(keyHash.toString('latin1') + address.runId, text)
        return reading.snapshot.row
      },
    }
    return reading
  }

  #readingOf(place: string, text: string): CachedSnapshot {
    const kept = this.#kept.get(place)
    if (kept?.text === text) return kept
    const reading = { text: copyOf(text), row: snapshotText.read(text) }
    if (text.length <= cachedTextMax) this.#kept.set(place, reading)
    return reading
  }
}

/** Copies a substring, which would otherwise keep the whole text in memory. */
const copyOf = (text: string): string => Buffer.from(text).toString()

/** A snapshot and the values derived from it. */
export interface CachedSnapshot {
  readonly text: string
  readonly row: Readonly<RunSnapshot>
  /** The rendered run. Never set for a queued run, whose response also depends on other runs. */
  shown?: Rendered<RunDetail>
}

export interface SnapshotRead {
  findKey: FindKey
  snapshot?: CachedSnapshot
}
