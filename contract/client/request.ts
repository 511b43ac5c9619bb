/** The parts of a route that a request needs. */
export interface RequestRoute {
  method: string
  path: string
  bodyKind?: 'json' | 'octet-stream' | 'multipart' | 'form' | undefined
}

/** Body of a raw upload. A stream is sent while it is read and cannot be sent again. */
export type UploadBody = Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array>

export interface RequestParts {
  params?: Record<string, string> | undefined
  query?: Record<string, unknown> | undefined
  body?: unknown
  /** The exact JSON text of `body`, sent instead of it: serializing numbers again could change them. */
  bodyText?: string | undefined
  upload?: UploadBody | undefined
  /** The file of a multipart body; a `File` brings its name. */
  file?: Blob | undefined
  headers?: Record<string, string> | undefined
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
}

/**
 * The URL of a call. Throws a TypeError for a missing parameter and for `.` and `..`, which URL parsing removes in
 * every encoding.
 */
export function urlOf(baseUrl: string, route: RequestRoute, parts: RequestParts): string {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parts.params?.[name]
    if (value === undefined || value === '' || value === '.' || value === '..') {
      throw new TypeError(`Path parameter ${name} is missing or not valid.`)
    }
    return encodeURIComponent(value)
  })
  const query = queryString(parts.query ?? {})
  return `${baseUrl.replace(/\/+$/, '')}${path}${query === '' ? '' : `?${query}`}`
}

/** Lists become repeated parameters; undefined and null are omitted. */
function queryString(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((item) => item !== undefined && item !== null)
      .map((item): [string, string] => [name, String(item)]),
  )
  return new URLSearchParams(pairs).toString()
}

/** Method, headers and body of a call. A redirect is an error: a key must not be sent to another host. */
export function requestInit(
  route: RequestRoute,
  parts: RequestParts,
  credentials: Record<string, string>,
): RequestInit {
  const headers = new Headers({ accept: 'application/json', ...credentials, ...parts.headers })
  if (parts.idempotencyKey !== undefined) headers.set('idempotency-key', parts.idempotencyKey)
  const init: RequestInit & { duplex?: 'half' } = { method: route.method, headers, redirect: 'error' }
  if (parts.signal) init.signal = parts.signal
  if (parts.upload !== undefined) {
    headers.set('content-type', 'application/octet-stream')
    init.body = parts.upload
    if (parts.upload instanceof ReadableStream) init.duplex = 'half'
  } else if (parts.file !== undefined) {
    const form = new FormData()
    form.append('file', parts.file)
    init.body = form
  } else if (parts.body !== undefined && route.bodyKind === 'form') {
    init.body = new URLSearchParams(parts.body as Record<string, string>)
  } else if (parts.body !== undefined) {
    headers.set('content-type', 'application/json')
    init.body = parts.bodyText ?? JSON.stringify(parts.body)
  }
  return init
}
