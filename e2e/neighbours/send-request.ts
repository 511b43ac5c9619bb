import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'

/** The hostile company's requests come from other loopback addresses than the quiet one's. */
const usualAddress = '127.0.0.2'

export interface RequestOptions {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  json?: unknown
  form?: Record<string, string>
  anonymous?: boolean
  /** Where the request comes from. */
  localAddress?: string
  headers?: Record<string, string>
  /** Closes the connection at the first bytes of the response. */
  hangUpAfter?: number
}

export interface Answer {
  status: number
  body: string
}

/** Sends one request on a new connection. */
export function sendRequest(
  { url, token }: { url: string; token: string },
  options: RequestOptions,
  signal: AbortSignal,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const form = options.form && new URLSearchParams(options.form).toString()
  const body = form ?? (options.json === undefined ? undefined : JSON.stringify(options.json))
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const sent = request(
    new URL(options.path, url),
    {
      method: options.method ?? (body === undefined ? 'GET' : 'POST'),
      localAddress: options.localAddress ?? usualAddress,
      agent: false,
      signal,
      headers: {
        ...(!options.anonymous && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && {
          'content-type': type,
          'content-length': String(Buffer.byteLength(body)),
        }),
        'idempotency-key': randomUUID(),
        ...options.headers,
      },
    },
    (response) => {
      const status = response.statusCode ?? 0
      if (options.hangUpAfter === undefined) {
        text(response).then((answered) => resolve({ status, body: answered }), reject)
        return
      }
      response.once('error', () => resolve({ status, body: '' }))
      response.once('data', () => {
        response.destroy()
        resolve({ status, body: '' })
      })
      response.once('end', () => resolve({ status, body: '' }))
    },
  )
  sent.on('error', reject)
  sent.end(body)
  return promise
}
