import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { openApiDocument } from '@sandbox-jobs/contract/openapi/document.ts'
import { taskFileSchema, taskFileSchemaPath } from '@sandbox-jobs/contract/task-file/json-schema.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import manifest from '../../package.json' with { type: 'json' }
import { mountFrontPage } from '../pages/front-page.ts'
import type { ApiDocument } from '../reference/document.ts'
import { referencePage } from '../reference/page.ts'
import { style } from '../reference/style.ts'
import { acceptsEncoding } from '../responses/cached-bytes.ts'

/** Both change only with a release. */
const cacheControl = 'public, max-age=300'

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The page runs its own script alone, which talks to this service alone and writes no HTML; it may not be framed. */
const policyOf = (script: string): string =>
  [
    "default-src 'none'",
    `script-src ${digest(script)}`,
    `style-src ${digest(style)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

interface OpenApiParts {
  baseUrl: string
  /** Folder with the packed script of the page; without it, the page has none. */
  packedFolder?: string | undefined
}

/** `GET /openapi.json`, the same as a page at `GET /docs`, the schema of task files, and `GET /`, which leads there. */
export function mountOpenApiRoutes(app: FastifyInstance, { baseUrl, packedFolder }: OpenApiParts): void {
  const document = once(() => openApiDocument({ version: manifest.version, serverUrl: baseUrl }))
  mountFrontPage(app, { baseUrl, version: manifest.version })
  const json = once(() => served(JSON.stringify(document())))
  const script = once(() =>
    packedFolder === undefined ? '' : readFileSync(join(packedFolder, 'docs-page.js'), 'utf8'),
  )
  const page = once(() =>
    served(referencePage(document() as unknown as ApiDocument, { style, script: script() })),
  )
  const taskFile = once(() => served(JSON.stringify(taskFileSchema(), null, 2)))
  // Editors in browsers read it too.
  app.get(taskFileSchemaPath, async (request, reply) =>
    send(
      request,
      reply.header('access-control-allow-origin', '*').type('application/schema+json; charset=utf-8'),
      taskFile(),
    ),
  )
  app.get('/openapi.json', async (request, reply) =>
    send(request, reply.type('application/json; charset=utf-8'), json()),
  )
  app.get('/docs', async (request, reply) =>
    send(
      request,
      reply
        .headers({ 'content-security-policy': policyOf(script()), 'referrer-policy': 'no-referrer' })
        .type('text/html; charset=utf-8'),
      page(),
    ),
  )
}

interface Served {
  plain: Buffer
  gzipped: Buffer
}

/** Both are about a megabyte, and a tenth of it compressed. As bytes, since each connection would have a copy of a text. */
const served = (text: string): Served => ({ plain: Buffer.from(text), gzipped: gzipSync(text) })

function send({ headers }: FastifyRequest, reply: FastifyReply, { plain, gzipped }: Served): FastifyReply {
  reply.headers({ 'cache-control': cacheControl, vary: 'accept-encoding' })
  return acceptsEncoding(headers, 'gzip')
    ? reply.header('content-encoding', 'gzip').send(gzipped)
    : reply.send(plain)
}

/** Built on first use. */
function once<Value extends object | string>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}
