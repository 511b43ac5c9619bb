import type { Clock } from '../base/clock.ts'
import { RecentMap } from '../base/recent-map.ts'
import { sha256OfAll } from '../base/sha256.ts'
import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'
import { sharedPieces } from '../storage/shared-pieces.ts'

const rememberedMax = 1000
const rememberedMs = 3_600_000

/**
 * Digests of stored objects, which are remembered for an hour by the stamps of the objects: each build of an edited Dockerfile
 * would read the whole layer of its base image, and a version's own link to it, again. An object that was replaced or written
 * to has another stamp.
 */
export class StoredDigests {
  readonly #storage: Pick<ObjectStorage, 'opened'>
  readonly #clock: Clock
  readonly #remembered = new RecentMap<{ digest: string; atMs: number }>(rememberedMax)

  constructor(storage: Pick<ObjectStorage, 'opened'>, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** The digest of an object's bytes, `sha256:` and hex; undefined if it is missing. Reads it unless it is remembered. */
  async of(key: string): Promise<string | undefined> {
    const object = await this.#storage.opened(key).catch((error: unknown) => {
      if (!(error instanceof ObjectMissing)) throw error
    })
    if (!object) return undefined
    try {
      const last = this.#remembered.get(object.stamp)
      if (last && this.#clock.now().getTime() - last.atMs < rememberedMs) return last.digest
      const digest = await sha256OfAll(sharedPieces(object, 0, object.byteSize))
      this.#remembered.set(object.stamp, { digest, atMs: this.#clock.now().getTime() })
      return digest
    } finally {
      await object.close()
    }
  }
}
