import { Readable } from 'node:stream'
import { slicesOf } from '../../fairness/loop-slices.ts'
import type { Downloads, StreamReader } from './downloads.ts'
import type { NamedPart } from './verified-objects.ts'
import { type ZipFile, zipByteSize, zipOf } from './zip-writer.ts'

/** An archive that is made while it is read, and its size. */
export interface StoredZip {
  body: Readable
  byteSize: number
}

/**
 * Stored objects as one zip, with names that are safe everywhere. Throws `downloads_busy`, and `storage_unavailable` if an object is
 * missing or one of the first is damaged. Damage that is found later breaks the connection.
 */
export async function openStoredZip(
  downloads: Downloads,
  parts: readonly NamedPart[],
  { at, reader }: { at: Date; reader: StreamReader },
): Promise<StoredZip> {
  // The names alone may be thousands, and a company may ask for many archives at once.
  const slice = slicesOf(reader.companyId)
  await slice.next()
  const names = zipNames(parts.map(({ name }) => name))
  if (slice.isOver) await slice.next()
  const objects = downloads.partReader(reader)
  const files = parts.map(
    (part, place): ZipFile => ({
      name: names[place] ?? '',
      byteSize: part.byteSize,
      modifiedAt: part.modifiedAt,
      read: () => objects.bytesOf(part),
    }),
  )
  if (slice.isOver) await slice.next()
  const body = await downloads.stream(reader, async () => {
    await downloads.requireStored(parts, reader)
    return Readable.from(untilClosed(zipOf(files, at), objects), { objectMode: false })
  })
  return { body, byteSize: zipByteSize(files) }
}

/** An archive that was never read has opened nothing. */
async function* untilClosed(
  archive: AsyncIterable<Buffer>,
  objects: { close(): Promise<void> },
): AsyncGenerator<Buffer, void> {
  try {
    yield* archive
  } finally {
    await objects.close()
  }
}

/** Characters that some systems take for the end of a folder's name, a drive or a stream. */
const unsafe = /[\\:*?"<>|]/g

/** Names that mean the same everywhere; of those that would become equal, the later ones get a number. */
export function zipNames(paths: readonly string[]): string[] {
  const used = new Set<string>()
  /** By name, which number the next one of it may get: a tenant can have thousands that become equal. */
  const numbers = new Map<string, number>()
  return paths.map((path) => {
    const plain = path.replaceAll(unsafe, '_')
    let name = plain
    let number = numbers.get(plain) ?? 2
    for (; used.has(name); number += 1) name = `${plain}~${number}`
    used.add(name)
    numbers.set(plain, number)
    return name
  })
}
