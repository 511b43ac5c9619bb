import type { Socket } from 'node:net'
import { type FastifyInstance, fastify, LogController } from 'fastify'
import { notFound } from '../base/coded-error.ts'
import type { Log } from '../base/logging.ts'
import { parseStrictJson } from '../base/strict-json.ts'
import { handleError } from './errors.ts'

/** Shape bounds of any JSON body; the run input's own are checked again where it is taken. */
const jsonBounds = { maxDepth: 80, maxNodes: 120_000 }

/** The HTTP application without its routes: strict JSON, one error mapping, headers that no answer lacks. */
export function createApp(log: Log): FastifyInstance {
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: false,
    routerOptions: { maxParamLength: 128 },
    // A stuck or endless client may not hold a connection for ever.
    requestTimeout: 15 * 60_000,
    keepAliveTimeout: 60_000,
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
  }) as unknown as FastifyInstance
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) =>
      body.length === 0 ? undefined : parseStrictJson(body, { ...jsonBounds, maxBytes: body.length }),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  // Raw bodies are read by their routes, which count the bytes themselves.
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, payload: unknown) => payload)
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
  })
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request, reply) => handleError(notFound(), request, reply))
  return app
}

/** Requests that Node's parser refuses never reach a route: they are answered on the bare socket. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const lengthError =
    error.code === 'HPE_INVALID_CONTENT_LENGTH' || error.code === 'HPE_UNEXPECTED_CONTENT_LENGTH'
  const detail = lengthError
    ? { code: 'invalid_content_length', message: 'The Content-Length header is not a number.' }
    : 'Bad Request'
  const body = JSON.stringify({ detail })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
