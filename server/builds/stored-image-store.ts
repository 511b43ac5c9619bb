import type { Readable } from 'node:stream'
import type { Database } from '../db/database.ts'
import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'
import { openLayer, verifyLayout } from './oci-layout.ts'

/** Promoted images by the digest of their layer, for an executor that has lost its copy. */
export class StoredImages {
  readonly #db: Database
  readonly #storage: ObjectStorage

  constructor(db: Database, storage: ObjectStorage) {
    this.#db = db
    this.#storage = storage
  }

  /** The uncompressed layer, verified in storage first. Throws `ObjectMissing`, `LayoutBroken`. */
  async open(layerDigest: string): Promise<Readable> {
    const version = await this.#db
      .selectFrom('environment_versions')
      .select(['id', 'promoted_digest'])
      .where('layer_digest', '=', layerDigest)
      .where('promoted_digest', 'is not', null)
      .limit(1)
      .executeTakeFirst()
    if (!version?.promoted_digest) throw new ObjectMissing(layerDigest)
    const layer = await verifyLayout(this.#storage, version.id, version.promoted_digest)
    return await openLayer(this.#storage, version.id, layer.digest)
  }
}
