import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'

/** A changed program has another ETag, so that a client asks again and receives nothing if it has the same. */
const cacheControl = 'public, no-cache'

/** `GET /cli`: the `sandbox` command as one file for other machines. `path` never changes while the service runs. */
export function mountCliRoute(app: FastifyInstance, path: string): void {
  let read: Promise<{ bytes: Buffer; etag: string }> | undefined
  const open = async () => {
    const bytes = await readFile(path)
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('hex')}"` }
  }
  app.get('/cli', async (request, reply) => {
    read ??= open()
    const { bytes, etag } = await read.catch((error: unknown) => {
      read = undefined
      throw error
    })
    reply.headers({ etag, 'cache-control': cacheControl })
    if (isKnown(etag, request.headers['if-none-match'])) return reply.code(304).send()
    return reply
      .headers({ 'content-disposition': 'attachment; filename="sandbox"' })
      .type('text/javascript; charset=utf-8')
      .send(bytes)
  })
}

/** A proxy that compresses makes the tag a weak one. */
const isKnown = (etag: string, known = ''): boolean =>
  known.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag)
