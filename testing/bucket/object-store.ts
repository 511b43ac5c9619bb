import { createHash, randomUUID } from 'node:crypto'

/** A request of the S3 protocol. */
export interface Asked {
  method: string
  /** `BUCKET/KEY`. */
  path: string
  query: URLSearchParams
  /** Headers that are kept with an object. */
  meta: Record<string, string>
  body: Buffer
}

export interface Reply {
  status: number
  headers: Record<string, string>
  body: Buffer
}

interface StoredObject {
  body: Buffer
  etag: string
  meta: Record<string, string>
}

/** The part of S3 that rclone uses, in memory. */
export class ObjectStore {
  /** By `BUCKET/KEY`. */
  readonly objects = new Map<string, StoredObject>()
  readonly #buckets: readonly string[]
  readonly #uploads = new Map<string, { meta: Record<string, string>; parts: Map<number, Buffer> }>()

  constructor(buckets: readonly string[]) {
    this.#buckets = buckets
  }

  answer(asked: Asked): Reply {
    const [bucket = '', ...key] = asked.path.split('/')
    if (!this.#buckets.includes(bucket)) return failure(404, 'NoSuchBucket')
    if (key.join('/') === '') return asked.method === 'GET' ? this.#list(bucket, asked.query) : reply(200)
    if (asked.query.has('uploads')) return this.#startUpload(asked)
    const upload = asked.query.get('uploadId')
    if (upload !== null) return this.#upload(upload, asked)
    return this.#object(asked)
  }

  #object({ method, path, meta, body }: Asked): Reply {
    if (method === 'PUT') {
      this.objects.set(path, { body, etag: etagOf(body), meta })
      return reply(200, { ETag: etagOf(body) })
    }
    if (method === 'DELETE') {
      this.objects.delete(path)
      return reply(204)
    }
    const found = this.objects.get(path)
    if (!found) return failure(404, 'NoSuchKey')
    const headers = { ETag: found.etag, 'Last-Modified': new Date(0).toUTCString(), ...found.meta }
    return reply(200, headers, found.body)
  }

  #startUpload({ path, meta }: Asked): Reply {
    const id = randomUUID()
    this.#uploads.set(id, { meta, parts: new Map() })
    const [bucket, ...key] = path.split('/')
    const names = `<Bucket>${bucket}</Bucket><Key>${key.join('/')}</Key><UploadId>${id}</UploadId>`
    return document(`<InitiateMultipartUploadResult>${names}</InitiateMultipartUploadResult>`)
  }

  #upload(id: string, { method, path, query, body }: Asked): Reply {
    const upload = this.#uploads.get(id)
    if (!upload) return failure(404, 'NoSuchUpload')
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body)
      return reply(200, { ETag: etagOf(body) })
    }
    if (method === 'DELETE') return reply(204)
    const parts = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, part]) => part)
    const etag = etagOf(Buffer.concat(parts.map(md5Of))).replace(/"$/, `-${parts.length}"`)
    this.objects.set(path, { body: Buffer.concat(parts), etag, meta: upload.meta })
    return document(`<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`)
  }

  #list(bucket: string, query: URLSearchParams): Reply {
    const prefix = query.get('prefix') ?? ''
    const delimiter = query.get('delimiter')
    const files: string[] = []
    const folders = new Set<string>()
    for (const [path, { body, etag }] of this.objects) {
      const key = path.slice(bucket.length + 1)
      if (!path.startsWith(`${bucket}/`) || !key.startsWith(prefix)) continue
      const end = delimiter ? key.indexOf(delimiter, prefix.length) : -1
      if (end >= 0) folders.add(`<CommonPrefixes><Prefix>${key.slice(0, end + 1)}</Prefix></CommonPrefixes>`)
      else
        files.push(
          `<Contents><Key>${key}</Key><Size>${body.length}</Size><ETag>${etag}</ETag>${modified}</Contents>`,
        )
    }
    const found = [...files, ...folders].join('')
    return document(`<ListBucketResult><IsTruncated>false</IsTruncated>${found}</ListBucketResult>`)
  }
}

const modified = '<LastModified>1970-01-01T00:00:00.000Z</LastModified>'

const reply = (
  status: number,
  headers: Record<string, string> = {},
  body: Buffer = Buffer.alloc(0),
): Reply => ({
  status,
  headers,
  body,
})

const document = (text: string, status = 200): Reply =>
  reply(status, { 'Content-Type': 'application/xml' }, Buffer.from(`<?xml version="1.0"?>${text}`))

export const failure = (status: number, code: string): Reply =>
  document(`<Error><Code>${code}</Code></Error>`, status)

const md5Of = (body: Buffer): Buffer => createHash('md5').update(body).digest()
const etagOf = (body: Buffer): string => `"${md5Of(body).toString('hex')}"`
