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

const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')

/** Content of a test bucket: objects by key, and uploads in parts by id. */
export class StoredObjects {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, Upload>()

  store(key: string, bytes: Buffer, metadata: Record<string, string>): string {
    const etag = `"${md5Of(bytes)}"`
    this.objects.set(key, { bytes, etag, metadata, modifiedAt: new Date() })
    return etag
  }

  begin(key: string, metadata: Record<string, string>): string {
    const id = randomUUID()
    this.uploads.set(id, { key, metadata, parts: new Map(), initiatedAt: new Date() })
    return id
  }

  /** False: there is no such upload. */
  complete(id: string): boolean {
    const upload = this.uploads.get(id)
    if (!upload) return false
    const parts = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes)
    this.store(upload.key, Buffer.concat(parts), upload.metadata)
    return this.uploads.delete(id)
  }
}
