import { request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { isIP } from 'node:net'
import { isTlsFailure } from '../tls-failure.ts'
import type { Reachable, Resolve } from './reachable-addresses.ts'

/*
 * One POST to an address that a customer chose. The name is resolved once, every address is checked, and the connection goes
 * to a checked address, so a name that changes its address in between gains nothing. Redirects are not followed, TLS is
 * verified, and of the answer only the status is used.
 */

export interface PostOptions {
  isReachable: Reachable
  resolve: Resolve
  /** From the look-up of the name to the status of the answer. A signal that fires earlier counts as this time. */
  timeoutMs: number
  /** Certificate authorities besides the usual ones. */
  ca?: string | undefined
}

export interface PostResult {
  status: number | null
  /** Slug; null after a status of 2xx. */
  error: string | null
}

const headersMaxBytes = 16 * 1024
/** Of an answer's body, so that ordinary receivers see it read. */
const bodyMaxBytes = 16 * 1024

export async function guardedPost(
  url: URL,
  { headers, body }: { headers: Record<string, string>; body: string },
  options: PostOptions & { signal?: AbortSignal },
): Promise<PostResult> {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout
  const failed = (error: string): PostResult => ({ status: null, error })
  const name = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const addresses = await within(options.resolve(name), signal)
  if (addresses === undefined) return failed('timeout')
  const [address] = addresses
  if (address === undefined) return failed('name_not_found')
  if (!addresses.every((each) => options.isReachable(each))) return failed('address_forbidden')
  const sent = {
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    host: url.host,
    connection: 'close',
  }
  try {
    return resultOf(await send(url, { address, name, headers: sent, body, signal, ca: options.ca }))
  } catch (error) {
    return failed(signal.aborted ? 'timeout' : slugOf(error))
  }
}

/** Undefined where the signal fires first. */
const within = <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  Promise.race([
    work,
    new Promise<undefined>((resolve) => {
      signal.addEventListener('abort', () => resolve(undefined), { once: true })
    }),
  ])

interface Sending {
  address: string
  name: string
  headers: Record<string, string>
  body: string
  signal: AbortSignal
  ca: string | undefined
}

/** The status of the answer. Its body is read up to a bound, and not waited for. */
function send(url: URL, { address, name, headers, body, signal, ca }: Sending): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const isTls = url.protocol === 'https:'
  const request = (isTls ? tlsRequest : plainRequest)(
    {
      host: address,
      port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers,
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
      let length = 0
      response.on('data', (part: Buffer) => {
        length += part.length
        if (length > bodyMaxBytes) request.destroy()
      })
      response.on('error', () => request.destroy())
      resolve(response.statusCode ?? 0)
    },
  )
  request.on('error', reject)
  request.end(body)
  return promise
}

function resultOf(status: number): PostResult {
  if (status >= 200 && status < 300) return { status, error: null }
  return { status, error: status >= 300 && status < 400 ? 'redirect' : 'status' }
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
