import { folderParts } from '../../../agent/port/folder-entries.ts'
import { PackReader, type Packs } from '../trees/pack-reader.ts'
import type { TreeFile } from '../trees/tree.ts'

interface NewPack {
  companyId: string
  /** Positions of files in the collected folder. */
  wanted: ReadonlySet<number>
  /** The file of the session with the same bytes, for a position whose bytes were not collected. */
  storedAt: (position: number) => TreeFile | undefined
}

/** The bytes of the wanted files: those of a collected folder, or of the packs that have them. */
export async function* newPackBytes(
  folder: AsyncIterable<Buffer>,
  storage: Packs,
  { companyId, wanted, storedAt }: NewPack,
): AsyncGenerator<Buffer, void> {
  const packs = new PackReader(storage, companyId)
  let position = -1
  let isFromFolder = false
  try {
    for await (const part of folderParts(folder)) {
      if (Buffer.isBuffer(part)) {
        if (isFromFolder) yield part
        continue
      }
      position += 1
      isFromFolder = wanted.has(position) && part.kind === 'file'
      const stored = wanted.has(position) && part.kind === 'known' ? storedAt(position) : undefined
      if (stored) yield* packs.bytesOf(stored)
    }
  } finally {
    await packs.close()
  }
}
