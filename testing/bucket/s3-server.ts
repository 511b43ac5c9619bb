import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { failure, ObjectStore } from './object-store.ts'

/**
 * `unavailable`: 503. `late`: the change is made and the connection is cut without an answer. `cut`: half of a body. `wrong`: a body with
 * another first byte.
 */
export type Fault = 'unavailable' | 'late' | 'cut' | 'wrong'

/** A server of S3 without signatures, whose answers can be faulty. */
export interface S3Server {
  url: string
  objects: ObjectStore['objects']
  /** Method and path of each request. */
  requests: string[]
  /** The fault of an answer. */
  fault: (method: string, path: string) => Fault | undefined
  close: () => Promise<void>
}

export async function startS3Server(buckets: readonly string[]): Promise<S3Server> {
  const store = new ObjectStore(buckets)
  const server = createServer((request, response) => void answer(s3, store, request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const s3: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: store.objects,
    requests: [],
    fault: () => undefined,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return s3
}

async function answer(
  s3: S3Server,
  store: ObjectStore,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const method = request.method ?? ''
  const { pathname, search, searchParams: query } = new URL(request.url ?? '', s3.url)
  const path = decodeURIComponent(pathname).slice(1)
  s3.requests.push(`${method} ${path}${search}`)
  // The client may be killed before it has sent everything.
  const sent = await buffer(request).catch(() => undefined)
  if (!sent) return
  const fault = s3.fault(method, path)
  const { status, headers, body } =
    fault === 'unavailable'
      ? failure(503, 'SlowDown')
      : store.answer({ method, path, query, meta: metaOf(request), body: sent })
  if (fault === 'late') return void response.destroy()
  response.writeHead(status, { ...headers, 'Content-Length': body.length })
  const shown = fault === 'wrong' ? Buffer.concat([Buffer.from('?'), body.subarray(1)]) : body
  if (method === 'HEAD') response.end()
  else if (fault === 'cut') response.write(shown.subarray(0, shown.length / 2), () => response.destroy())
  else response.end(shown)
}

const metaOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') && typeof value === 'string' ? [[name, value]] : [],
    ),
  )
