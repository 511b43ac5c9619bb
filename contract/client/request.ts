import type { Route } from '../routes/route.ts'

/** What a raw upload may be. A stream is sent as it is read and cannot be sent twice. */
export type UploadBody = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

export interface RequestParts {
  params?: Record<string, string> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  /** The exact JSON text of `body`, sent in its place: writing numbers anew could change them. */
  bodyText?: string | undefined
  upload?: UploadBody | undefined
  headers?: Record<string, string> | undefined
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

/**
 * The address of a call. Throws a TypeError for a parameter that is missing, or that an address would swallow:
 * `.` and `..` name folders in every spelling.
 */
export function urlOf(baseUrl: string, route: Route, parts: RequestParts): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts.params?.[name]
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new TypeError(`Path parameter ${name} is missing or not usable.`)
    }
    return encodeURIComponent(value)
  })
  const query = queryString(parts.query ?? {})
  return `${baseUrl.replace(/\/+$/, '')}${path}${query === '' ? '' : `?${query}`}`
}

/** Lists become repeated parameters; undefined and null are left out. */
function queryString(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined && item !== null)
      .map((item): [string, string] => [name, String(item)]),
  )
  return new URLSearchParams(pairs).toString()
}

/** Method, headers and body of a call. Redirects are errors: a key must not travel to another host. */
export function requestInit(route: Route, parts: RequestParts, credentials: Record<string, string>) {
  const headers = new Headers({ accept: 'application/json', ...credentials, ...parts.headers })
  if (parts.idempotencyKey !== undefined) headers.set('idempotency-key', parts.idempotencyKey)
  const init: RequestInit & { duplex?: 'half' } = { method: route.method, headers, redirect: 'error' }
  if (parts.signal) init.signal = parts.signal
  if (parts.upload !== undefined) {
    headers.set('content-type', 'application/octet-stream')
    init.body = parts.upload
    if (parts.upload instanceof ReadableStream) init.duplex = 'half'
  } else if (parts.body !== undefined && route.bodyKind === 'form') {
    init.body = new URLSearchParams(parts.body as Record<string, string>)
  } else if (parts.body !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = parts.bodyText ?? JSON.stringify(parts.body)
  }
  return init
}
