import { Readable } from 'node:stream'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PlainError } from '../base/errors/plain-error.ts'
import { onceClosed } from '../http/requests/client-gone.ts'
import type { McpCall } from './mcp-server.ts'

/** Headers that the protocol reads. Credentials stay behind. */
const protocolHeaders = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
]

/** Any: the SDK looks at no address. */
const address = 'http://localhost/mcp'

/** Has the SDK answer a request, and cancels what it does when the client hangs up. */
export async function answerOf(
  handler: McpHttpHandler,
  { request, reply, call }: { request: FastifyRequest; reply: FastifyReply; call: McpCall },
): Promise<FastifyReply> {
  const { body: parsedBody } = request
  // Of a batch each message would be a call: one request would pass for many.
  if (Array.isArray(parsedBody)) throw new PlainError(400, 'Batches are not supported. Send one message.')
  const init = { method: 'POST', headers: headersOf(request), signal: untilHangUp(reply) }
  const extra = { ...call }
  const answer = await handler.fetch(new Request(address, init), {
    authInfo: { token: '', clientId: '', scopes: [], extra },
    parsedBody,
  })
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  reply.code(answer.status).headers(Object.fromEntries(answer.headers))
  if (isStream && answer.body) {
    reply.header('x-accel-buffering', 'no')
    return reply.send(Readable.fromWeb(answer.body))
  }
  return reply.send(answer.body ? await answer.text() : undefined)
}

/** Fires when the client is gone. */
export function untilHangUp(reply: FastifyReply): AbortSignal {
  const left = new AbortController()
  // A connection also closes after its whole answer, where an abort would only cost its exception.
  onceClosed(reply, () => {
    if (!reply.raw.writableFinished) left.abort()
  })
  return left.signal
}

const headersOf = ({ headers }: FastifyRequest): [string, string][] =>
  protocolHeaders.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
