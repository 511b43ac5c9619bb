import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type { ObjectStorage } from '../../storage/port.ts'
import { canonicalEntry, textFile } from '../archive/canonical-tar.ts'
import type { TakenPrefix } from './kept-prefix.ts'
import { prefixObjectKey } from './prefix-store.ts'

/**
 * What the builder takes, with the prefixes in front: `prefixes/N/image.tar` for stage N, from 0, and in `prefixes/told`
 * what the author reads about them.
 */
export function withPrefixes(
  input: Readable,
  { prefixes, told, storage }: { prefixes: TakenPrefix[]; told: string | Buffer; storage: ObjectStorage },
): Readable {
  if (prefixes.length === 0) return input
  async function* delivered() {
    for (const prefix of prefixes) {
      const path = `prefixes/${prefix.stage}/image.tar`
      const stored = await storage.get(prefixObjectKey(prefix))
      const body = stored.compose(createZstdDecompress()) as AsyncIterable<Buffer>
      yield* canonicalEntry({ path, kind: 'file', mode: 0o644, byteSize: prefix.tarBytes, body })
    }
    yield* canonicalEntry(textFile('prefixes/told', told))
    for await (const bytes of input) yield bytes as Buffer
  }
  return Readable.from(delivered(), { objectMode: false })
}
