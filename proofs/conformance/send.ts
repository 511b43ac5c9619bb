import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

export interface Request {
  params?: Record<string, string>
  query?: Record<string, string | string[]>
  /** A body in the route's format: JSON, or a form. */
  body?: unknown
  /** A raw body. */
  bytes?: Buffer
  /** The one file of a multipart body. */
  file?: Buffer
  headers?: Headers
}

export type Headers = Record<string, string>

/** Sends a request to a route of the app, with the caller's credentials. */
export function send(
  app: FastifyInstance,
  credentials: Headers,
  route: Route,
  request: Request = {},
): Promise<LightMyRequestResponse> {
  const url = route.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(request.params?.[name] ?? ''),
  )
  const { type, payload } = bodyOf(route, request)
  return app.inject({
    method: route.method,
    url,
    query: request.query ?? {},
    headers: { ...credentials, ...(type && { 'content-type': type }), ...request.headers },
    ...(payload && { payload }),
  })
}

const boundary = 'boundary-of-an-example'

function bodyOf(route: Route, { body, bytes, file }: Request): { type?: string; payload?: Buffer } {
  if (bytes) return { type: 'application/octet-stream', payload: bytes }
  if (file) return { type: `multipart/form-data; boundary=${boundary}`, payload: multipart(file) }
  if (body === undefined) return {}
  if (route.bodyKind !== 'form')
    return { type: 'application/json', payload: Buffer.from(JSON.stringify(body)) }
  const form = new URLSearchParams(body as Record<string, string>).toString()
  return { type: 'application/x-www-form-urlencoded', payload: Buffer.from(form) }
}

const multipart = (file: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="example"\r\n`),
    Buffer.from('content-type: application/octet-stream\r\n\r\n'),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
