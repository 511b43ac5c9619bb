import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Transform, type TransformCallback } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { MirrorKind } from '../../port/package-mirror.ts'
import { LinkRecords, LinkShares } from './link-use.ts'
import { failureOf, MirrorFailure, type MirrorFailureCode, mirrorFailures } from './mirror-failure.ts'
import { type ProxyMirror, redirectWithin, targetOf } from './mirror-target.ts'
import { connectionsTo, type MirrorConnections, readMirror } from './read-mirror.ts'
import { rewriteAddresses } from './rewrite-addresses.ts'

export interface MirrorLimits {
  headMs: number
  idleMs: number
  /** Time of one request. */
  totalMs: number
  /** Size of one answer. */
  answerBytes: number
  /** Requests of one link at once, and how many more may wait. */
  running: number
  waiting: number
}

export const mirrorLimits: MirrorLimits = {
  headMs: 60_000,
  idleMs: 60_000,
  totalMs: 3_600_000,
  answerBytes: 4 * 1024 ** 3,
  running: 16,
  waiting: 128,
}

/** Headers of an answer that are passed on. */
const passedOn = [
  ...['content-type', 'content-encoding', 'content-range', 'accept-ranges', 'etag', 'last-modified'],
  ...['cache-control', 'retry-after', 'x-pypi-last-serial'],
]
/** Indexes of these kinds may name files by the mirror's own address. Their files have checksums and stay as they are. */
const rewritten = new Set<MirrorKind>(['pypi', 'npm', 'cargo'])
const isIndex = /^(?:text\/html|application\/(?:[a-z0-9.+-]*\+)?(?:json|html))(?:;|$)/i

/** The requests of one tool: what they ask for is hostile, and so are the answers of a mirror. */
interface Exchange {
  link: string
  /** Where the tool reached the proxy. */
  base: string
  request: IncomingMessage
  response: ServerResponse
}

/**
 * The package mirrors as build steps see them: plain HTTP servers, one per kind. Each request is sent to the mirror that the
 * agent named for that kind, with the operator's login, and never anywhere else.
 */
export class MirrorServer {
  readonly records = new LinkRecords()
  readonly #limits: MirrorLimits
  readonly #turns: LinkShares
  #mirrors: ProxyMirror[] = []
  #connections = new Map<string, { key: string; agent: MirrorConnections }>()

  constructor(limits = mirrorLimits) {
    this.#limits = limits
    this.#turns = new LinkShares(limits)
  }

  /** Replaces the mirrors. Requests that run continue. */
  set(mirrors: ProxyMirror[]): void {
    this.#mirrors = mirrors
    const before = this.#connections
    this.#connections = new Map(
      mirrors.map((mirror) => {
        const key = JSON.stringify(mirror)
        const known = before.get(mirror.name)
        return [mirror.name, known?.key === key ? known : { key, agent: connectionsTo(mirror) }]
      }),
    )
  }

  listen(kind: MirrorKind, port: number, host: string): Promise<Server> {
    const server = createServer((request, response) => {
      const { remoteAddress: link = '' } = request.socket
      const base = `http://${host}:${(server.address() as { port: number }).port}`
      void this.#answer(kind, { link, base, request, response })
    })
    server.headersTimeout = 30_000
    server.requestTimeout = 30_000
    server.keepAliveTimeout = 15_000
    return new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, host, () => resolve(server))
    })
  }

  async #answer(kind: MirrorKind, exchange: Exchange): Promise<void> {
    const { link, request, response } = exchange
    const ended = new AbortController()
    const { signal } = ended
    response.once('close', () => ended.abort())
    request.resume()
    let name: string = kind
    let release = () => {}
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD')
        throw new MirrorFailure('mirror_method_refused')
      const ofKind = this.#mirrors.filter((mirror) => mirror.kind === kind)
      const { mirror, path } = targetOf(request.url ?? '', ofKind)
      name = mirror.name
      release = await this.#turns.take(link)
      if (signal.aborted) return
      const late = setTimeout(
        () => response.destroy(new MirrorFailure('mirror_timeout')),
        this.#limits.totalMs,
      )
      try {
        await this.#forward(exchange, { mirror, path, signal })
      } finally {
        clearTimeout(late)
      }
    } catch (error) {
      const isOfTool = signal.aborted && !(error instanceof MirrorFailure)
      if (!isOfTool) this.#fail(exchange, name, failureOf(error))
    } finally {
      release()
    }
  }

  async #forward(
    { link, base, request, response }: Exchange,
    { mirror, path, signal }: { mirror: ProxyMirror; path: string; signal: AbortSignal },
  ): Promise<void> {
    const use = this.records.request(link, mirror.name)
    const agent = this.#connections.get(mirror.name)?.agent
    if (!agent) throw new MirrorFailure('mirror_not_declared')
    const { headMs, idleMs, answerBytes } = this.#limits
    const { method = 'GET', headers } = request
    const answer = await readMirror(mirror, agent, { method, path, headers, headMs, idleMs, signal })
    let hasBroken = false
    answer.once('error', () => {
      hasBroken = !signal.aborted
    })
    // A tool that does not read its answer, in more time than a mirror has.
    response.setTimeout(2 * idleMs, () => response.destroy())
    try {
      const { statusCode: status = 502, headers: found } = answer
      if (status === 401 || status === 407) throw new MirrorFailure('mirror_login_refused')
      const size = found['content-length']
      if (Number(size ?? 0) > answerBytes) throw new MirrorFailure('mirror_answer_too_large')
      const own = Object.fromEntries(passedOn.flatMap((key) => (key in found ? [[key, found[key]]] : [])))
      if (status >= 300 && status < 400 && status !== 304) {
        const { location = '' } = found
        response.writeHead(status, { location: base + redirectWithin(mirror, { location, path }) }).end()
        return
      }
      const isRewritten =
        rewritten.has(mirror.kind) &&
        status === 200 &&
        !('content-encoding' in found) &&
        isIndex.test(found['content-type'] ?? '')
      response.writeHead(status, {
        ...own,
        ...(size !== undefined && !isRewritten && { 'content-length': size }),
      })
      const counted = counter(answerBytes, (bytes) => {
        use.ingressBytes += bytes
      })
      const { origin } = new URL(mirror.url)
      if (isRewritten) await pipeline(answer, counted, rewriteAddresses(`${origin}/`, `${base}/`), response)
      else await pipeline(answer, counted, response)
    } catch (error) {
      throw hasBroken && !(error instanceof MirrorFailure)
        ? new MirrorFailure('mirror_answer_incomplete')
        : error
    } finally {
      answer.destroy()
    }
  }

  #fail({ link, request, response }: Exchange, name: string, code: MirrorFailureCode): void {
    this.records.failed(link, name, code)
    if (response.headersSent) {
      response.destroy()
      return
    }
    const { status, why } = mirrorFailures[code]
    const body = `${code}: ${why}\n`
    response.statusMessage = code
    response.writeHead(status, { 'content-type': 'text/plain', 'content-length': body.length })
    response.end(request.method === 'HEAD' ? '' : body)
  }
}

/** Passes bytes on, and fails beyond `max`. */
function counter(max: number, count: (bytes: number) => void): Transform {
  let total = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      total += chunk.length
      count(chunk.length)
      done(total > max ? new MirrorFailure('mirror_answer_too_large') : null, chunk)
    },
  })
}
