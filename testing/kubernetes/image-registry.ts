import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sha256Of } from '../../server/base/sha256.ts'

export type RegistryFault =
  | 'cut upload'
  | 'elsewhere'
  | 'forgets a blob'
  | 'keeps blobs elsewhere'
  | 'other manifest'
  | 'refuses the manifest'
  | 'token for a stranger'

/** The distribution protocol of OCI for one repository, in memory, with the faults of registries. */
export class ImageRegistry {
  readonly #server: Server
  readonly blobs = new Map<string, Buffer>()
  readonly manifests = new Map<string, Buffer>()
  readonly requests: string[] = []
  fault: RegistryFault | undefined
  /** Each request needs it; its realm gives it to this login. */
  token: { value: string; login: string } | undefined

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  static async start(): Promise<ImageRegistry> {
    const registry = new ImageRegistry()
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve))
    return registry
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url)
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts)
    const authorization = request.headers.authorization ?? ''
    this.requests.push(`${request.method} ${pathname}`)
    if (pathname === '/token') return this.#giveToken(authorization, response)
    if (this.token && authorization !== `Bearer ${this.token.value}`) {
      const realm = this.fault === 'token for a stranger' ? 'http://192.0.2.1/token' : `${this.url}/token`
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="s"` }).end()
    } else if (pathname.includes('/blobs/uploads/')) {
      if (request.method === 'POST') this.#begin(response)
      else this.#store(searchParams.get('digest') ?? '', body, response)
    } else if (pathname.includes('/blobs/')) this.#sendBlob(nameIn(pathname), response)
    else if (pathname.startsWith('/kept/')) send(response, this.blobs.get(nameIn(pathname)))
    else if (request.method === 'PUT') this.#storeManifest(nameIn(pathname), body, response)
    else send(response, this.manifests.get(nameIn(pathname)))
  }

  #sendBlob(digest: string, response: ServerResponse): void {
    if (this.fault === 'keeps blobs elsewhere' && this.blobs.has(digest))
      response.writeHead(307, { location: `/kept/${digest}` }).end()
    else send(response, this.blobs.get(digest))
  }

  #giveToken(authorization: string, response: ServerResponse): void {
    const wanted = `Basic ${Buffer.from(this.token?.login ?? '').toString('base64')}`
    if (authorization !== wanted) response.writeHead(401).end()
    else response.end(JSON.stringify({ token: this.token?.value }))
  }

  #begin(response: ServerResponse): void {
    const host = this.fault === 'elsewhere' ? 'http://192.0.2.1' : ''
    response.writeHead(202, { location: `${host}/v2/images/blobs/uploads/1?state=a` }).end()
  }

  #store(digest: string, body: Buffer, response: ServerResponse): void {
    if (this.fault === 'cut upload') response.destroy()
    else if (sha256Of(body) !== digest) response.writeHead(400).end()
    else {
      if (this.fault !== 'forgets a blob') this.blobs.set(digest, body)
      response.writeHead(201).end()
    }
  }

  #storeManifest(tag: string, body: Buffer, response: ServerResponse): void {
    if (this.fault === 'refuses the manifest') {
      response.writeHead(400).end()
      return
    }
    this.manifests.set(tag, body)
    this.manifests.set(sha256Of(body), this.fault === 'other manifest' ? Buffer.from('{}') : body)
    response.writeHead(201).end()
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

const nameIn = (path: string) => path.slice(path.lastIndexOf('/') + 1)

function send(response: ServerResponse, bytes: Buffer | undefined): void {
  if (bytes) response.writeHead(200, { 'content-length': bytes.length }).end(bytes)
  else response.writeHead(404).end()
}
