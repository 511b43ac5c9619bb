import { HashedSource } from '../archives/formats/hashed-source.ts'
import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'

/** The digest of an object's stored bytes, `sha256:` and hex; undefined if it is missing. */
export async function storedDigest(
  storage: ObjectStorage,
  { key, byteSize }: { key: string; byteSize: number },
): Promise<string | undefined> {
  try {
    return await new HashedSource({ byteSize, open: () => storage.get(key) }).digest()
  } catch (error) {
    if (error instanceof ObjectMissing) return undefined
    throw error
  }
}
