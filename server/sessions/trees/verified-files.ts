import type { Clock } from '../../base/clock.ts'
import { RecentMap } from '../../base/recent-map.ts'
import { sha256OfAll } from '../../base/sha256.ts'
import { slicesOf } from '../../fairness/loop-slices.ts'
import { PackReader, type Packs } from './pack-reader.ts'
import type { Tree, TreeFile } from './tree.ts'

const rememberedMax = 10_000
const rememberedMs = 3_600_000
/** A smaller file is hashed each time: that costs no more than to remember it. */
const rememberedBytesMin = 64 * 1024

interface Verified {
  stamp: string
  atMs: number
}

/**
 * Compares the files of sessions with their digests. A file that was undamaged is not read again for an hour, unless the object
 * of its pack is another one: the runs of a conversation follow each other, and each would read all files twice.
 */
export class VerifiedFiles {
  readonly #storage: Packs
  readonly #clock: Clock
  readonly #remembered = new RecentMap<Verified>(rememberedMax)

  constructor(storage: Packs, clock: Clock) {
    this.#storage = storage
    this.#clock = clock
  }

  /** Whether all bytes of the tree are stored as they were. Throws `ObjectMissing`, and the errors of the object store. */
  async areUndamaged(companyId: string, tree: Tree): Promise<boolean> {
    const packs = new PackReader(this.#storage, companyId)
    // Thousands of empty files wait for no disk.
    const slice = slicesOf(companyId)
    try {
      for (const entry of tree.values()) {
        if (slice.isOver) await slice.next()
        if (entry.kind === 'file' && !(await this.#isUndamaged(packs, entry))) return false
      }
      return true
    } finally {
      await packs.close()
    }
  }

  async #isUndamaged(packs: PackReader, file: TreeFile): Promise<boolean> {
    if (file.byteSize < rememberedBytesMin) return isSame(packs, file)
    const name = `${packs.keyOf(file)}:${file.offset}:${file.byteSize}:${file.digest}`
    const stamp = await packs.stampOf(file)
    const atMs = this.#clock.now().getTime()
    const last = this.#remembered.get(name)
    if (last?.stamp === stamp && atMs - last.atMs < rememberedMs) return true
    if (!(await isSame(packs, file))) return false
    this.#remembered.set(name, { stamp, atMs })
    return true
  }
}

const isSame = async (packs: PackReader, file: TreeFile): Promise<boolean> =>
  (await sha256OfAll(packs.bytesOf(file))) === file.digest
