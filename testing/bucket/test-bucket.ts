import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { type StoredObject, StoredObjects } from './stored-objects.ts'

export const bucketName = 'objects'

/**
 * `unavailable`, `slow_down`: 503 with that code. `cut`: half of the bytes of an object. `wrong_bytes`: other bytes. `lost`: the
 * change is made and the connection is cut without an answer. `late`: the same, and the change is made only at `finishLate`.
 * `no_copy`: the answer to a copy that was not made says that it was.
 */
export type Fault = 'unavailable' | 'slow_down' | 'cut' | 'wrong_bytes' | 'lost' | 'late' | 'no_copy'

const retryable: Partial<Record<Fault, string>> = { unavailable: 'ServiceUnavailable', slow_down: 'SlowDown' }

/**
 * A small store with one bucket, `bucketName`, which fails as a test configures it: the part of S3 that the service and rclone use. It checks no
 * signature: `ceph.test.ts` has a store that does.
 */
export class TestBucket {
  readonly stored = new StoredObjects()
  /** The requests so far, such as `PUT a/b`. */
  readonly requests: string[] = []
  /** The fault of a request. */
  fault: (request: string) => Fault | undefined = () => undefined
  readonly #late = Promise.withResolvers<void>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  /** Closed when the test file is done. */
  static async start(): Promise<TestBucket> {
    const bucket = new TestBucket()
    bucket.#server.listen(0, '127.0.0.1')
    await once(bucket.#server, 'listening')
    afterAll(() => bucket.stop())
    return bucket
  }

  /** From then on connections are refused. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return
    this.#server.close()
    this.#server.closeAllConnections()
    await once(this.#server, 'close')
  }

  /** Carries out the requests with the fault `late`, which their clients have given up. */
  async finishLate(): Promise<void> {
    this.#late.resolve()
    await setImmediate()
  }

  /** Where it listens. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo
    return `http://127.0.0.1:${port}`
  }

  /** Settings of a service whose objects are in that bucket, with the credentials in variables of AWS. */
  settings(name = bucketName): Record<string, string> {
    return {
      SANDBOX_S3_BUCKET: name,
      SANDBOX_S3_ENDPOINT: this.url,
      SANDBOX_COMPANY_STORAGE_BYTES: '1g',
      AWS_ACCESS_KEY_ID: 'key',
      AWS_SECRET_ACCESS_KEY: 'secret',
    }
  }

  /** Fails requests that match, from now on: the first `times`. */
  failing(pattern: RegExp, fault: Fault, times = Number.POSITIVE_INFINITY): void {
    let left = times
    this.fault = (request) => {
      if (left === 0 || !pattern.test(request)) return undefined
      left -= 1
      return fault
    }
  }

  /** Without objects, requests and faults, for the next test. */
  reset(): void {
    this.stored.clear()
    this.requests.length = 0
    this.fault = () => undefined
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://bucket')
    const [, bucket, ...path] = decodeURIComponent(pathname).split('/')
    const key = path.join('/')
    const named = `${request.method} ${key}`
    this.requests.push(named)
    // The client may be killed before it has sent everything.
    const body = await buffer(request).catch(() => undefined)
    if (!body) return
    const fault = this.fault(named)
    const busy = fault && retryable[fault]
    if (busy) {
      refuse(response, 503, busy)
      return
    }
    if (bucket !== bucketName) {
      refuse(response, 404, 'NoSuchBucket')
      return
    }
    if (fault === 'lost' || fault === 'late') request.socket.destroy()
    if (fault === 'late') await this.#late.promise
    if (request.method === 'PUT') this.#put(request, { key, body, searchParams, response, fault })
    else if (request.method === 'POST') this.#post(request, { key, searchParams, response })
    else if (request.method === 'DELETE') this.#delete({ key, searchParams, response })
    else if (searchParams.has('uploads')) this.#listUploads(response)
    else if (key === '') this.#listObjects({ searchParams, response })
    else this.#get(request, { key, response, fault })
  }

  #put(request: IncomingMessage, { key, body, searchParams, response, fault }: Asked & Sent): void {
    const source = request.headers['x-amz-copy-source']
    const upload = searchParams.get('uploadId')
    if (source !== undefined) this.#copy(this.#sourceOf(String(source)), { key, response, fault })
    else if (upload === null)
      response.writeHead(200, { etag: this.stored.store(key, body, metadataOf(request)) }).end()
    else {
      const etag = this.stored.storePart(upload, Number(searchParams.get('partNumber')), body)
      if (etag !== undefined) response.writeHead(200, { etag }).end()
      else refuse(response, 404, 'NoSuchUpload')
    }
  }

  #copy(
    from: StoredObject | undefined,
    { key, response, fault }: Pick<Asked & Sent, 'key' | 'response' | 'fault'>,
  ): void {
    if (!from) {
      refuse(response, 404, 'NoSuchKey')
      return
    }
    if (fault !== 'no_copy') this.stored.store(key, from.bytes, from.metadata)
    xml(response, `<CopyObjectResult><ETag>${from.etag}</ETag></CopyObjectResult>`)
  }

  #post(request: IncomingMessage, { key, searchParams, response }: Asked): void {
    const id = searchParams.get('uploadId')
    if (id === null) {
      const uploadId = this.stored.begin(key, metadataOf(request))
      const tags = `<Bucket>${bucketName}</Bucket><Key>${key}</Key><UploadId>${uploadId}</UploadId>`
      xml(response, `<InitiateMultipartUploadResult>${tags}</InitiateMultipartUploadResult>`)
      return
    }
    const etag = this.stored.complete(id)
    if (etag === undefined) {
      refuse(response, 404, 'NoSuchUpload')
      return
    }
    xml(response, `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`)
  }

  #delete({ key, searchParams, response }: Asked): void {
    const id = searchParams.get('uploadId')
    if (id === null) this.stored.objects.delete(key)
    else this.stored.uploads.delete(id)
    response.writeHead(204).end()
  }

  #listUploads(response: ServerResponse): void {
    const uploads = [...this.stored.uploads].map(
      ([id, { key, initiatedAt }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiatedAt.toISOString()}</Initiated></Upload>`,
    )
    xml(response, `<ListMultipartUploadsResult>${uploads.join('')}</ListMultipartUploadsResult>`)
  }

  #listObjects({ searchParams, response }: Omit<Asked, 'key'>): void {
    const found = this.stored.list(searchParams.get('prefix') ?? '', searchParams.get('delimiter'))
    const objects = found.objects.map(([key, { bytes, etag, modifiedAt }]) => {
      const modified = `<LastModified>${modifiedAt.toISOString()}</LastModified>`
      return `<Contents><Key>${key}</Key><Size>${bytes.length}</Size><ETag>${etag}</ETag>${modified}</Contents>`
    })
    const prefixes = found.prefixes.map((one) => `<CommonPrefixes><Prefix>${one}</Prefix></CommonPrefixes>`)
    const tags = ['<IsTruncated>false</IsTruncated>', ...objects, ...prefixes].join('')
    xml(response, `<ListBucketResult>${tags}</ListBucketResult>`)
  }

  /** Ignores conditions, as some stores do. */
  #get(
    request: IncomingMessage,
    { key, response, fault }: Omit<Asked, 'searchParams'> & { fault: Fault | undefined },
  ): void {
    const object = this.stored.objects.get(key)
    if (!object) {
      refuse(response, 404, 'NoSuchKey')
      return
    }
    const [start, end = object.bytes.length] = rangeOf(request.headers.range)
    if (start > 0 && start >= object.bytes.length) {
      refuse(response, 416, 'InvalidRange')
      return
    }
    const isPart = request.headers.range !== undefined && object.bytes.length > 0
    const bytes = object.bytes.subarray(start, end)
    const own = Object.entries(object.metadata).map(([name, value]) => [`x-amz-meta-${name}`, value])
    response.writeHead(isPart ? 206 : 200, {
      etag: object.etag,
      'last-modified': object.modifiedAt.toUTCString(),
      'content-length': bytes.length,
      ...(isPart && { 'content-range': `bytes ${start}-${start + bytes.length - 1}/${object.bytes.length}` }),
      ...Object.fromEntries(own),
    })
    if (request.method === 'HEAD') response.end()
    else if (fault === 'cut') response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
    else response.end(fault === 'wrong_bytes' ? Buffer.alloc(bytes.length, '?') : bytes)
  }

  #sourceOf(source: string) {
    const [, ...path] = decodeURIComponent(source).replace(/^\//, '').split('/')
    return this.stored.objects.get(path.join('/'))
  }
}

interface Sent {
  body: Buffer
  fault: Fault | undefined
}

interface Asked {
  key: string
  searchParams: URLSearchParams
  response: ServerResponse
}

function rangeOf(header: string | string[] | undefined): [start: number, end?: number] {
  const [, start = '0', last] = /^bytes=(\d+)-(\d*)$/.exec(String(header)) ?? []
  return !last ? [Number(start)] : [Number(start), Number(last) + 1]
}

function metadataOf({ headers }: IncomingMessage): Record<string, string> {
  const prefix = 'x-amz-meta-'
  const own = Object.entries(headers).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), String(value)]))
}

function xml(response: ServerResponse, text: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`)
}

const refuse = (response: ServerResponse, status: number, code: string): void =>
  xml(response, `<Error><Code>${code}</Code><Message>as a test says</Message></Error>`, status)
