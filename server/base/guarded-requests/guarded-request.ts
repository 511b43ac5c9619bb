import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { Reachable, Resolve } from './reachable-addresses.ts'

/*
 * One request to an address that somebody else chose. The name is resolved once, every address is checked, and the connection
 * goes to a checked address, so a name that changes its address in between gains nothing. Redirects are not followed, TLS is
 * verified, and headers are bounded.
 */

export interface GuardedOptions {
  isReachable: Reachable
  resolve: Resolve
  /** From the look-up of the name to the end of what is read of the answer. A signal that fires earlier counts as this time. */
  timeoutMs: number
  /** Certificate authorities besides the usual ones. */
  ca?: string | undefined
}

export interface GuardedRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

/** Reads what it needs of an answer; the request is destroyed where its promise is rejected. */
type ReadAnswer<Read> = (response: IncomingMessage, request: ClientRequest) => Read | Promise<Read>

const headersMaxBytes = 16 * 1024

/** A failure of a request, as a slug. */
export class GuardedFailure extends Error {
  readonly slug: string

  constructor(slug: string) {
    super(slug)
    this.name = 'GuardedFailure'
    this.slug = slug
  }
}

/** The host as resolvers and certificates know it: an IPv6 address without brackets, a name without the dot of the root. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')

/** Throws `GuardedFailure`. */
export async function guardedRequest<Read>(
  url: URL,
  sent: GuardedRequest,
  read: ReadAnswer<Read>,
  options: GuardedOptions & { signal?: AbortSignal },
): Promise<Read> {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  const name = hostOf(url)
  const addresses = await within(options.resolve(name), signal)
  if (addresses === undefined) throw new GuardedFailure('timeout')
  const [address] = addresses
  if (address === undefined) throw new GuardedFailure('name_not_found')
  if (!addresses.every((each) => options.isReachable(each))) throw new GuardedFailure('address_forbidden')
  try {
    return await send(url, { ...sent, address, name, signal, ca: options.ca }, read)
  } catch (error) {
    if (signal.aborted) throw new GuardedFailure('timeout')
    throw error instanceof GuardedFailure ? error : new GuardedFailure(slugOf(error))
  }
}

/** Whether the code of an error says that a connection could not be encrypted, or that its certificate is not trusted. */
export const isTlsFailure = (code: string): boolean =>
  /^(ERR_(TLS|SSL)|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)

/** Undefined where the signal fires first. */
const within = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
    }),
  ])

interface Sending extends GuardedRequest {
  address: string
  name: string
  signal: AbortSignal
  ca: string | undefined
}

function send<Read>(
  url: URL,
  { method, headers, body, address, name, signal, ca }: Sending,
  read: ReadAnswer<Read>,
): Promise<Read> {
  const { promise, resolve, reject } = Promise.withResolvers<Read>()
  const isTls = url.protocol === 'https:'
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const request = (isTls ? tlsRequest : plainRequest)(
    {
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method,
      headers: { ...headers, ...length, host: url.host, connection: 'close' },
      agent: false,
      maxHeaderSize: headersMaxBytes,
      signal,
      ...(isTls && {
        rejectUnauthorized: true,
        ...(isIP(name) ? {} : { servername: name }),
        ...(ca && { ca }),
      }),
    },
    (response) => {
      void (async () => read(response, request))().then(resolve, (error: unknown) => {
        request.destroy()
        reject(error)
      })
    },
  )
  request.on('error', reject)
  request.end(body)
  return promise
}

const slugs: Record<string, string> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}

function slugOf(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException
  const slug = slugs[code]
  if (slug !== undefined) return slug
  if (code.startsWith('HPE_')) return 'not_http'
  return isTlsFailure(code) ? 'tls' : 'connection_failed'
}
