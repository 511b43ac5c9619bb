import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { isKnown } from '../responses/cached-bytes.ts'

/** A changed program has another ETag, so that a client asks again and receives nothing if it has the same. */
const cacheControl = 'public, no-cache'

/** Path, name in the folder of packed programs, and media type. */
const files = [
  ['/cli', 'sandbox', 'text/javascript; charset=utf-8'],
  ['/client.tgz', 'client.tgz', 'application/gzip'],
] as const

/**
 * `GET /cli`: the `sandbox` command as one file for other machines. `GET /client.tgz`: the typed client as an npm package.
 * The files in `folder` never change while the service runs.
 */
export function mountPackedFiles(app: FastifyInstance, folder: string): void {
  for (const [url, name, type] of files) {
    const read = kept(async () => {
      const bytes = await readFile(join(folder, name))
      return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex')}"` }
    })
    app.get(url, async (request, reply) => {
      const { bytes, etag } = await read()
      reply.headers({ etag, 'cache-control': cacheControl })
      if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
      return reply
        .headers({ 'content-disposition': `attachment; filename="${name}"` })
        .type(type)
        .send(bytes)
    })
  }
}

/** Reads once for all requests; after a failure the next request tries again. */
function kept<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined
      throw error
    })
    return reading
  }
}
