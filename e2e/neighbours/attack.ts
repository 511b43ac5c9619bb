import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hostile } from './companies.ts'

/** How an attack's requests were answered, by status, `error` for broken connections. */
export type Answers = Record<string, number>

export interface Attack {
  name: string
  /** Description for the report. */
  about: string
  /** Runs until the signal; resolves soon after it. */
  run(hostile: Hostile, signal: AbortSignal, answers: Answers): Promise<void>
}

/** The hostile company's requests come from other loopback addresses than the quiet one's. */
const usualAddress = '127.0.0.2'
/** Delay before a refused request is repeated: a hostile client ignores Retry-After. */
const pauseMs = 50

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
  { url, token }: Pick<Hostile, 'url' | 'token'>,
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

export const count = (answers: Answers, key: number | string): void => {
  answers[key] = (answers[key] ?? 0) + 1
}

/** Repeats a request with `atOnce` clients until the signal, and counts the responses. */
export async function hammer(
  { signal, answers, atOnce }: { signal: AbortSignal; answers: Answers; atOnce: number },
  once: (signal: AbortSignal) => Promise<Answer>,
): Promise<void> {
  const one = async () => {
    while (!signal.aborted) {
      const status = await once(signal).then(
        (answer) => answer.status,
        () => 'error',
      )
      if (signal.aborted) return
      count(answers, status)
      if (typeof status === 'string' || status >= 400) await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
