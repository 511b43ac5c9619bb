import { Readable } from 'node:stream'
import type { ObjectStorage } from '../../storage/port.ts'
import { canonicalEntry, storedFile, textFile } from '../archive/canonical-tar.ts'
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
      const open = () => storage.get(pulledImageKey(image))
      yield* canonicalEntry(storedFile(`${folder}/image.tar`, image.byteSize, open))
      if (index) yield* canonicalEntry(textFile(`${folder}/index`, index.document))
    }
    for await (const bytes of context) yield bytes as Buffer
  }
  return Readable.from(delivered(), { objectMode: false })
}
