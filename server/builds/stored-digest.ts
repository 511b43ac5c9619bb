import { ObjectMissing, type ObjectStorage } from '../storage/port.ts'
import { HashedSource } from './archive/hashed-source.ts'

/** `sha256:` and hex of an object's bytes as they are stored now; undefined when it is missing. */
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
