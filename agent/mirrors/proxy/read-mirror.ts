import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { MirrorFailure } from './mirror-failure.ts'
import type { ProxyMirror } from './mirror-target.ts'

export interface ReadOptions {
  method: string
  path: string
  /** Headers of the tool; only those that select the content are sent on. */
  headers: IncomingHttpHeaders
  /** Time until the mirror's headers. */
  headMs: number
  /** Time without a byte. */
  idleMs: number
  /** Ends the request. */
  signal: AbortSignal
}

/** Never a cookie or an authorization of the tool. */
const sentOn = ['accept', 'range', 'if-range', 'if-none-match', 'if-modified-since', 'user-agent'] as const

/** Connections to one mirror, with its authority. A changed mirror gets other ones. */
export type MirrorConnections = http.Agent

export const connectionsTo = ({ url, authority }: ProxyMirror): MirrorConnections => {
  const options = { keepAlive: true, maxSockets: 256, maxFreeSockets: 16, timeout: 30_000 }
  return url.startsWith('https:')
    ? new https.Agent({ ...options, ...(authority !== undefined && { ca: authority }) })
    : new http.Agent(options)
}

/** Sends a request to the mirror, at the addresses that the agent permits, with the operator's login. */
export function readMirror(
  mirror: ProxyMirror,
  agent: MirrorConnections,
  { method, path, headers, headMs, idleMs, signal }: ReadOptions,
): Promise<IncomingMessage> {
  if (mirror.addresses.length === 0) throw new MirrorFailure('mirror_unreachable')
  const { protocol, hostname, port, host } = new URL(mirror.url)
  const own = Object.fromEntries(
    sentOn.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])),
  )
  const authorization = mirror.login && `Basic ${Buffer.from(mirror.login).toString('base64')}`
  const isHttps = protocol === 'https:'
  const options = {
    agent,
    method,
    path,
    signal,
    host: hostname,
    port: port === '' ? (isHttps ? 443 : 80) : Number(port),
    headers: { ...own, host, 'accept-encoding': 'identity', ...(authorization && { authorization }) },
    lookup: lookupIn(mirror.addresses),
    autoSelectFamily: true,
  }
  return new Promise((resolve, reject) => {
    const request = isHttps ? https.request(options) : http.request(options)
    const late = setTimeout(() => request.destroy(new MirrorFailure('mirror_timeout')), headMs)
    request.once('response', (answer) => {
      clearTimeout(late)
      answer.setTimeout(idleMs, () => answer.destroy(new MirrorFailure('mirror_timeout')))
      resolve(answer)
    })
    request.on('error', (error) => {
      clearTimeout(late)
      reject(error)
    })
    request.end()
  })
}

/** Resolves every name to these addresses: the proxy asks no name server. */
const lookupIn =
  (addresses: string[]): LookupFunction =>
  (_host, options, done) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    const [first] = found
    if (options.all) done(null, found)
    else done(null, first?.address ?? '', first?.family ?? 4)
  }
