import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isJsonObject } from '@sandbox-jobs/contract/json-object.ts'
import { bytesWithin } from '../../server/base/bytes-within.ts'

/** A repository of a registry, in the distribution protocol of OCI. */
export interface RegistryAccess {
  /** `https://registry.example.org`; without TLS only where the network is trusted. */
  url: string
  repository: string
  login?: { user: string; password: string }
  ca?: Buffer
}

/** The registry does not answer, or refuses: `status` is 0 without an answer. */
export class RegistryFailed extends Error {
  override readonly name = 'RegistryFailed'
  readonly status: number

  constructor(message: string, { status = 0, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause })
    this.status = status
  }
}

export interface RegistryRequest {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT'
  url: URL
  headers?: Record<string, string>
  body?: { byteSize: number; open: () => Promise<Readable> | Readable }
}

export interface RegistryAnswer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
}

/** Manifests are at most 4 MiB by the protocol. */
const answerMaxBytes = 4 * 1024 * 1024
const timeoutMs = 10 * 60_000

/** Requests to one repository. A challenge for a token is answered once, and the token kept. */
export class RegistrySession {
  readonly #access: RegistryAccess
  readonly base: URL
  #authorization: string | undefined

  constructor(access: RegistryAccess) {
    this.#access = access
    this.base = new URL(`/v2/${access.repository}/`, access.url)
    this.#authorization = basicOf(access)
  }

  async ask(request: RegistryRequest): Promise<RegistryAnswer> {
    const answer = await this.#send(request)
    const challenge = answer.headers['www-authenticate'] ?? ''
    const isOwn = request.url.origin === this.base.origin
    // A stranger to which the registry sends a reader gets no login.
    if (!isOwn || answer.status !== 401 || !/^bearer /i.test(challenge)) return answer
    this.#authorization = `Bearer ${await this.#token(challenge)}`
    return this.#send(request)
  }

  #send(request: RegistryRequest): Promise<RegistryAnswer> {
    const isOwn = request.url.origin === this.base.origin
    const authorization = isOwn ? this.#authorization : undefined
    return exchange(request, { ca: this.#access.ca, authorization })
  }

  async #token(challenge: string): Promise<string> {
    const parts = Object.fromEntries(
      [...challenge.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
    )
    const realm = URL.parse(parts.realm ?? '')
    // The login goes there.
    if (!realm || (realm.protocol !== 'https:' && realm.origin !== this.base.origin))
      throw new RegistryFailed('the registry names no place for tokens that may get a login', { status: 401 })
    if (parts.service !== undefined) realm.searchParams.set('service', parts.service)
    realm.searchParams.set('scope', `repository:${this.#access.repository}:pull,push`)
    const authorization = basicOf(this.#access)
    const { status, body } = await exchange(
      { method: 'GET', url: realm },
      { ca: this.#access.ca, authorization },
    )
    if (status !== 200) throw new RegistryFailed('the registry gives no token', { status })
    const token = tokenIn(body)
    if (typeof token !== 'string' || !/^[\x21-\x7e]{1,16384}$/.test(token))
      throw new RegistryFailed('the registry gives a token of another form')
    return token
  }
}

function tokenIn(body: Buffer): unknown {
  try {
    const answer: unknown = JSON.parse(body.toString())
    return isJsonObject(answer) ? (answer.token ?? answer.access_token) : undefined
  } catch {
    return undefined
  }
}

const basicOf = ({ login }: RegistryAccess): string | undefined =>
  login && `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`

async function exchange(
  { method, url, headers, body }: RegistryRequest,
  { ca, authorization }: { ca: Buffer | undefined; authorization: string | undefined },
): Promise<RegistryAnswer> {
  const send = url.protocol === 'https:' ? tlsRequest : plainRequest
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options = {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(ca && { ca }),
    headers: {
      ...headers,
      ...(authorization !== undefined && { authorization }),
      ...(body && { 'content-length': body.byteSize }),
    },
  }
  try {
    const sent = send(url, options, resolve)
    sent.on('error', reject)
    // A registry may refuse before it has read the body; an error of the body breaks the request too.
    if (body) pipeline(await body.open(), sent).catch(() => {})
    else sent.end()
    const answer = await promise
    const read = await bodyOf(answer)
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: read }
  } catch (error) {
    if (error instanceof RegistryFailed) throw error
    throw new RegistryFailed('the registry does not answer', { cause: error })
  }
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const bytes = await bytesWithin(answer, answerMaxBytes)
  if (!bytes) throw new RegistryFailed('an answer of the registry is too long')
  return bytes
}
