import { Readable } from 'node:stream'
import type { ObjectStorage } from '../../storage/port.ts'
import { canonicalEntry, storedFile, textFile } from '../archive/canonical-tar.ts'
import { unpacked } from '../provenance/verify-image.ts'
import type { TakenPrefix } from './kept-prefix.ts'
import { prefixObjectKey } from './prefix-store.ts'

/** What the author reads of the beginning of a build: its `log` so far, and then what is `told` about it. */
export interface Beginning {
  log: Buffer
  told: string
}

/**
 * What the builder takes, with the prefixes in front: `prefixes/N/image.tar` for stage N, from 0, and the beginning in
 * `prefixes/log` and `prefixes/told`.
 */
export function withPrefixes(
  input: Readable,
  { prefixes, beginning, storage }: { prefixes: TakenPrefix[]; beginning: Beginning; storage: ObjectStorage },
): Readable {
  const { log, told } = beginning
  if (prefixes.length === 0 && log.length === 0) return input
  async function* delivered() {
    for (const prefix of prefixes) {
      const open = async () => unpacked(await storage.get(prefixObjectKey(prefix)))
      yield* canonicalEntry(storedFile(`prefixes/${prefix.stage}/image.tar`, prefix.tarBytes, open))
    }
    yield* canonicalEntry(textFile('prefixes/log', log))
    yield* canonicalEntry(textFile('prefixes/told', told))
    for await (const bytes of input) yield bytes as Buffer
  }
  return Readable.from(delivered(), { objectMode: false })
}
