import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../base/errors/coded-error.ts'
import { formPage, formPageHeaders } from '../pages/form-page.ts'
import { html } from '../reference/html.ts'
import { acceptsEncoding, isKnown } from '../responses/cached-bytes.ts'
import { type BuiltConsole, type ConsoleFile, readConsole } from './console-files.ts'
import { shellFor, shellHeaders } from './shell.ts'

/** Files of this folder have their digest in their names. */
const assets = 'assets/'
const forever = 'public, max-age=31536000, immutable'
const askedAgain = 'public, no-cache'

/**
 * `GET /console/...`: the web console. Every address below it that names no file gives the same page, which finds out by itself
 * what the address means. The files are in memory, read with the first request that finds them.
 */
export function mountConsole(
  app: FastifyInstance,
  folder: string | undefined,
  provider: string | undefined,
): void {
  const read = consoleReader(folder, 'index.html')
  app.get('/console', (_request, reply) => reply.redirect('/console/', 308))
  app.get('/console/*', async (request, reply) => {
    const found = await read()
    if (!found) return sendUnbuilt(reply)
    const path = pathOf(request)
    const file = found.files.get(path)
    if (file) return sendFile(request, reply, { path, file })
    if (path.startsWith(assets)) throw notFound()
    return sendPage(request, reply, found, provider)
  })
}

/** `GET /operator/...`: the page of the operator console, whose files are those of the web console. */
export function mountOperatorConsole(app: FastifyInstance, folder: string | undefined): void {
  const read = consoleReader(folder, 'operator.html')
  for (const path of ['/', '/operator']) app.get(path, (_request, reply) => reply.redirect('/operator/', 308))
  app.get('/console/*', async (request, reply) => {
    const path = pathOf(request)
    const file = (await read())?.files.get(path)
    if (!file) throw notFound()
    return sendFile(request, reply, { path, file })
  })
  app.get('/operator/*', async (request, reply) => {
    if (pathOf(request).startsWith('api/')) throw notFound()
    const found = await read()
    return found ? sendPage(request, reply, found) : sendUnbuilt(reply)
  })
}

const pathOf = ({ params }: FastifyRequest): string => (params as { '*': string })['*']

/** Reads the files once they are there. */
function consoleReader(folder: string | undefined, page: string): () => Promise<BuiltConsole | undefined> {
  let built: Promise<BuiltConsole | undefined> | undefined
  return async () => {
    built ??= folder === undefined ? Promise.resolve(undefined) : readConsole(folder, page)
    const found = await built
    if (!found) built = undefined
    return found
  }
}

const sendPage = (
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { page }: BuiltConsole,
  provider?: string,
): FastifyReply =>
  reply
    .headers(shellHeaders)
    .type('text/html; charset=utf-8')
    .send(shellFor(page, headers, provider))

function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { path, file }: { path: string; file: ConsoleFile },
): FastifyReply {
  const { etag, type, plain } = file
  reply.headers({
    etag,
    vary: 'accept-encoding',
    'cache-control': path.startsWith(assets) ? forever : askedAgain,
    'cross-origin-resource-policy': 'same-origin',
  })
  if (isKnown(etag, headers['if-none-match'])) return reply.code(304).send()
  reply.type(type)
  for (const encoding of ['br', 'gzip'] as const) {
    const bytes = file[encoding]
    if (bytes && acceptsEncoding(headers, encoding))
      return reply.header('content-encoding', encoding).send(bytes)
  }
  return reply.send(plain)
}

const sendUnbuilt = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .headers(formPageHeaders())
    .type('text/html; charset=utf-8')
    .send(
      formPage(
        'The console has not been built',
        html`<p>This service runs from a checkout without the built console. In the folder of the checkout, run
<code>npm run console</code> and then <code>sandbox up</code>. Everything else works without it.</p>`,
      ),
    )
