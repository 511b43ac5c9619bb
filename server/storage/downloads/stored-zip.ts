import { Readable } from 'node:stream'
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
  const names = zipNames(parts.map(({ name }) => name))
  const files = parts.map((part, place) =>
    zipFileOf(downloads, { ...part, name: names[place] ?? '' }, reader),
  )
  const body = await downloads.stream(reader, async () => {
    await downloads.requireStored(parts, reader)
    return Readable.from(zipOf(files, at), { objectMode: false })
  })
  return { body, byteSize: zipByteSize(files) }
}

/** A verified object as a file of a zip. Reading it throws `ObjectMissing`. */
const zipFileOf = (
  downloads: Downloads,
  part: NamedPart,
  who: { companyId: string; signal: AbortSignal },
): ZipFile => ({
  name: part.name,
  byteSize: part.byteSize,
  read: async function* () {
    const object = await downloads.openVerified(part, who)
    try {
      for await (const bytes of object.read(part.start, part.start + part.byteSize)) {
        who.signal.throwIfAborted()
        yield bytes
      }
    } finally {
      await object.close()
    }
  },
})

/** What some systems take for the end of a folder's name, a drive or a stream. */
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
