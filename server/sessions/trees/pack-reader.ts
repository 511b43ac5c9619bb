import type { ObjectStorage, OpenedObject } from '../../storage/port.ts'
import { packKey } from './pack-store.ts'
import type { TreeFile } from './tree.ts'

export type Packs = Pick<ObjectStorage, 'opened'>

/** Reads files of packs. Files of one pack that follow each other are read from one open object. */
export class PackReader {
  readonly #storage: Packs
  readonly #companyId: string
  #pack: { id: string; object: OpenedObject } | undefined

  constructor(storage: Packs, companyId: string) {
    this.#storage = storage
    this.#companyId = companyId
  }

  async *bytesOf({ pack, offset, byteSize }: TreeFile): AsyncGenerator<Buffer, void> {
    if (byteSize === 0) return
    const object = await this.#open(pack)
    yield* object.read(offset, offset + byteSize)
  }

  /** The key of the object that has the file. */
  keyOf({ pack }: TreeFile): string {
    return packKey(this.#companyId, pack)
  }

  /** The stamp of the object that has the file. */
  async stampOf({ pack }: TreeFile): Promise<string> {
    return (await this.#open(pack)).stamp
  }

  async #open(id: string): Promise<OpenedObject> {
    if (this.#pack?.id === id) return this.#pack.object
    await this.close()
    this.#pack = { id, object: await this.#storage.opened(packKey(this.#companyId, id)) }
    return this.#pack.object
  }

  async close(): Promise<void> {
    const pack = this.#pack
    this.#pack = undefined
    await pack?.object.close()
  }
}
