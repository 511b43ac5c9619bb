import { createHash, randomUUID } from 'node:crypto'

export interface StoredObject {
  bytes: Buffer
  etag: string
  metadata: Record<string, string>
  modifiedAt: Date
}

interface Upload {
  key: string
  metadata: Record<string, string>
  parts: Map<number, Buffer>
  initiatedAt: Date
}

const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest()
const etagOf = (bytes: Buffer) => `"${md5Of(bytes).toString('hex')}"`

/** Content of a test bucket: objects by key, and uploads in parts by id. */
export class StoredObjects {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, Upload>()

  /** Returns the ETag. */
  store(key: string, bytes: Buffer, metadata: Record<string, string>, etag = etagOf(bytes)): string {
    this.objects.set(key, { bytes, etag, metadata, modifiedAt: new Date() })
    return etag
  }

  begin(key: string, metadata: Record<string, string>): string {
    const id = randomUUID()
    this.uploads.set(id, { key, metadata, parts: new Map(), initiatedAt: new Date() })
    return id
  }

  /** Returns the ETag of the part; undefined: there is no such upload. */
  storePart(id: string, number: number, bytes: Buffer): string | undefined {
    return this.uploads.get(id)?.parts.set(number, bytes) && etagOf(bytes)
  }

  /** Returns the ETag of the object, which names the number of parts; undefined: there is no such upload. */
  complete(id: string): string | undefined {
    const upload = this.uploads.get(id)
    if (!upload) return undefined
    this.uploads.delete(id)
    const parts = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)
    const etag = etagOf(Buffer.concat(parts.map(md5Of))).replace(/"$/, `-${parts.length}"`)
    return this.store(upload.key, Buffer.concat(parts), upload.metadata, etag)
  }

  /** The objects with the prefix, and the common prefixes of those with the delimiter after it. */
  list(prefix: string, delimiter: string | null): { objects: [string, StoredObject][]; prefixes: string[] } {
    const objects: [string, StoredObject][] = []
    const prefixes = new Set<string>()
    for (const [key, object] of this.objects) {
      if (!key.startsWith(prefix)) continue
      const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
      if (end >= 0) prefixes.add(key.slice(0, end + 1))
      else objects.push([key, object])
    }
    return { objects, prefixes: [...prefixes] }
  }

  clear(): void {
    this.objects.clear()
    this.uploads.clear()
  }
}
