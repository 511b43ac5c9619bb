import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { catalogue } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { parseStrictJson } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify'
import { newRequest } from '../base/current-request.ts'
import { CodedError, notFound } from '../base/errors/coded-error.ts'
import { newRequestId } from '../base/ids.ts'
import type { Log } from '../base/logging.ts'
import { AnswerSpace } from '../fairness/answer-space.ts'
import { BodySpace } from '../fairness/body-space.ts'
import { largeBodyMinBytes, parseLargeBody } from '../tasks/inputs/large-body.ts'
import { boundAnswers } from './bounds/bound-answers.ts'
import { boundBodies } from './bounds/bound-bodies.ts'
import { callerDecorator, companyOf, takeTurn } from './caller.ts'
import type { BodyConfig } from './mount.ts'
import { allowOtherOrigins } from './requests/cross-origin.ts'
import { onEndedRequests } from './requests/ended-requests.ts'
import { type RequestLogSettings, requestLogger } from './requests/request-log.ts'
import { countRequest } from './requests/request-metrics.ts'
import { traceRequest } from './requests/request-traces.ts'
import { handleError, refusedInput } from './responses/errors.ts'
import { endWaitsAtClose } from './responses/wait-signal.ts'

/** Bounds on the shape of any JSON body. The run input has its own bounds, checked where it is parsed. */
const jsonBounds = { maxDepth: 80, maxNodes: 120_000, acceptProto: true }
/** The same of a body that is parsed here, where more would keep others waiting. A larger one has a few long texts. */
const nodesHereMax = (bytes: number): number => (bytes > 256 * 1024 ? 10_000 : 40_000)

/** Forms are logins and decisions. A large one on a route that takes none would keep the event loop busy for seconds. */
const formMaxLength = 16 * 1024

/** Bytes that cost the event loop as much to receive only as one byte to receive and parse. */
const receivedPerParsed = 8

/** Writes and errors are logged, and no other reads. */
const changesAlone: RequestLogSettings = { trustedProxies: [], readsPerLine: 0 }

/**
 * The HTTP application without its routes: strict JSON, one error mapping, and the headers that every response has. Pages of other
 * origins may call it unless `isForOwnPages`.
 */
export function createApp(
  log: Log,
  {
    bodySpace = new BodySpace(),
    answerSpace = new AnswerSpace(),
    requestLog = changesAlone,
    isForOwnPages = false,
  } = {},
): FastifyInstance {
  const app = fastify({
    // A logger per request would cost more than all response headers. Fastify logs to the logger of the process.
    childLoggerFactory: () => log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: false,
    // Never an id that the client sent: it would be a text of a tenant in log lines.
    genReqId: newRequestId,
    requestIdHeader: false,
    routerOptions: { maxParamLength: 128 },
    // A stuck or endless client must not hold a connection forever.
    requestTimeout: 15 * 60_000,
    keepAliveTimeout: 60_000,
    // A request that comes while the process stops is answered, on a connection that closes then.
    return503OnClosing: false,
    // How often the times for headers and requests are checked: the usual 30 s would more than double them.
    http: { connectionsCheckingInterval: 2000 },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket),
    // No hook runs for these.
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(request, reply)
      handleError(error, request, reply)
    },
  }) as unknown as FastifyInstance
  app.decorateRequest(callerDecorator, null)
  keepCurrent(app)
  onEndedRequests(app, [requestLogger(log, requestLog), countRequest, traceRequest])
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined
      const config = request.routeOptions.config as Partial<BodyConfig>
      const { nulFields = [], parsedApart, inputWithin } = config
      const company = parsedApart && body.length >= largeBodyMinBytes ? companyOf(request) : undefined
      const maxNodes = company === undefined ? nodesHereMax(body.length) : jsonBounds.maxNodes
      const bounds = { ...jsonBounds, maxNodes, nulFields, maxBytes: body.length }
      await takeTurn(request, company === undefined ? body.length : body.length / receivedPerParsed)
      try {
        return company === undefined
          ? parseStrictJson(body, bounds)
          : await parseLargeBody(company, body, { bounds, inputWithin })
      } catch (error) {
        throw config.storesInput ? refusedInput(error) : error
      }
    },
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => {
      if (body.length > formMaxLength) throw new CodedError('request_too_large')
      return body === '' ? undefined : Object.fromEntries(new URLSearchParams(body))
    },
  )
  // Routes read raw bodies themselves and count the bytes.
  app.addContentTypeParser('application/octet-stream', async (_request: unknown, payload: unknown) => payload)
  boundBodies(app, bodySpace)
  boundAnswers(app, answerSpace)
  app.addHook('onSend', (request, reply, payload, done) => {
    setCommonHeaders(request, reply)
    // The answer to HEAD has no bytes: the framework would read them all the same, to their end.
    if (request.method === 'HEAD' && payload instanceof Readable) payload.destroy()
    done()
  })
  if (!isForOwnPages) allowOtherOrigins(app)
  endWaitsAtClose(app)
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request, reply) => handleError(notFound(), request, reply))
  return app
}

/** Does all work of a request as that of the request: a body arrives outside of it, so it is entered again before the handler. */
function keepCurrent(app: FastifyInstance): void {
  const current = new WeakMap<FastifyRequest, ReturnType<typeof newRequest>>()
  app.addHook('onRequest', (request, _reply, done) => {
    const within = newRequest(request.id)
    current.set(request, within)
    within(done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    const within = current.get(request)
    if (within) within(done)
    else done()
  })
}

function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store')
}

const badLength = {
  status: '400 Bad Request',
  detail: { code: 'invalid_content_length', message: catalogue.invalid_content_length.message },
}

/** Responses to requests that the parser refuses for another reason than bad syntax, by the parser's error code. */
const brokenRequests: Record<string, { status: string; detail: unknown }> = {
  HPE_INVALID_CONTENT_LENGTH: badLength,
  HPE_UNEXPECTED_CONTENT_LENGTH: badLength,
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    detail: 'Request Header Fields Too Large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'Request Timeout' },
}

/** Time for a client to take the answer to a broken request and to close its side. */
const brokenCloseMs = 1000

/**
 * Requests that Node's parser refuses never reach a route: the response is written to the bare socket. Ended alone, the
 * connection would stay until the client closes it too.
 */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const { status, detail } = brokenRequests[error.code ?? ''] ?? {
    status: '400 Bad Request',
    detail: 'Bad Request',
  }
  const body = JSON.stringify({ detail })
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${newRequestId()}\r\nconnection: close\r\n\r\n${body}`,
  )
  const late = setTimeout(() => socket.destroy(), brokenCloseMs)
  socket.once('close', () => clearTimeout(late))
}
