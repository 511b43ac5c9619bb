import { createHash } from 'node:crypto'
import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import type { FastifyInstance } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import type { ApiDocument } from '../reference/document.ts'
import { referencePage } from '../reference/page.ts'
import { style } from '../reference/style.ts'

/** Both change only with a release. */
const cacheControl = 'public, max-age=300'

/** The page runs no script, loads nothing, and may not be framed. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** `GET /openapi.json`, and the same as a page at `GET /docs`. */
export function mountOpenApiRoutes(app: FastifyInstance, { baseUrl }: { baseUrl: string }): void {
  const document = once(() => openApiDocument({ version: manifest.version, serverUrl: baseUrl }))
  const text = once(() => JSON.stringify(document()))
  const page = once(() => referencePage(document() as unknown as ApiDocument, style))
  app.get('/openapi.json', async (_request, reply) =>
    reply.header('cache-control', cacheControl).type('application/json').send(text()),
  )
  app.get('/docs', async (_request, reply) =>
    reply
      .headers({
        'cache-control': cacheControl,
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
      })
      .type('text/html; charset=utf-8')
      .send(page()),
  )
}

/** Built on first use. */
function once<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
