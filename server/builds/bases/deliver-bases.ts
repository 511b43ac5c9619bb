import { Readable } from 'node:stream'
import type { ObjectStorage } from '../../storage/port.ts'
import { canonicalEntry } from '../archive/canonical-tar.ts'
import { pulledImageKey } from './pulled-image-store.ts'
import type { PulledBase } from './take-bases.ts'

/**
 * What the builder takes, with the pulled base images in front: `bases/N/image.tar` and, where the name led to one,
 * `bases/N/index`, for base image N of the Dockerfile, from 0.
 */
export function withBases(
  context: Readable,
  { bases, pulled, storage }: { bases: string[]; pulled: PulledBase[]; storage: ObjectStorage },
): Readable {
  async function* delivered() {
    for (const { name, image, index } of pulled) {
      const folder = `bases/${bases.indexOf(name)}`
      const file = { kind: 'file', mode: 0o644 } as const
      const body = (await storage.get(pulledImageKey(image))) as AsyncIterable<Buffer>
      yield* canonicalEntry({ ...file, path: `${folder}/image.tar`, byteSize: image.byteSize, body })
      if (!index) continue
      const { document } = index
      const parts = Readable.from([document]) as AsyncIterable<Buffer>
      yield* canonicalEntry({ ...file, path: `${folder}/index`, byteSize: document.length, body: parts })
    }
    for await (const bytes of context) yield bytes as Buffer
  }
  return Readable.from(delivered(), { objectMode: false })
}
