import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { ExecutorUnavailable } from '../port/errors.ts'
import { type FailureAnswer, failureOf } from '../protocol/failures.ts'
import { type AgentRequest, requestLine } from '../protocol/requests.ts'

export interface CallOptions {
  body?: Buffer | Readable
  headers?: Record<string, string | number>
  signal?: AbortSignal | undefined
}

/**
 * A kept-alive connection broke before the response: the agent may have closed it, or ended, before it read this request.
 * Every call of the ports may be repeated, so this one is retried once.
 */
class KeptConnectionLost extends Error {}

/** Requests to the host agent over its unix socket. */
export class Connection {
  readonly #socketPath: string
  readonly #kept = new Agent({ keepAlive: true, maxFreeSockets: 32 })

  constructor(socketPath: string) {
    this.#socketPath = socketPath
  }

  /** Resolves with a success response; any other response is thrown as one of the port's errors. */
  async call(request: AgentRequest, options: CallOptions = {}): Promise<IncomingMessage> {
    const response = await this.#send(request, options, false)
      .catch((error: unknown) => {
        if (!(error instanceof KeptConnectionLost) || options.signal?.aborted) throw error
        return this.#send(request, options, true)
      })
      .catch((error: unknown) => {
        options.signal?.throwIfAborted()
        return unavailable(error)
      })
    const { statusCode: status = 500 } = response
    if (status < 300) return response
    const body = (await json(response).catch(unavailable)) as Partial<FailureAnswer['body']>
    throw failureOf(status, body, requestLine(request).path)
  }

  /** Ends idle connections. */
  close(): void {
    this.#kept.destroy()
  }

  #send(request: AgentRequest, options: CallOptions, isRepeated: boolean): Promise<IncomingMessage> {
    const { body, headers = {}, signal } = options
    return new Promise((resolve, reject) => {
      const length = Buffer.isBuffer(body) ? { 'content-length': body.length } : {}
      const sent = httpRequest({
        socketPath: this.#socketPath,
        ...requestLine(request),
        // A streamed body may continue after its response, so its connection is not reused. A retry uses a new connection.
        agent: body instanceof Readable || isRepeated ? false : this.#kept,
        headers: { ...headers, ...length },
        ...(signal ? { signal } : {}),
      })
      sent.on('response', resolve)
      sent.on('error', (error) =>
        reject(sent.reusedSocket ? new KeptConnectionLost('connection lost', { cause: error }) : error),
      )
      if (body instanceof Readable) pipeline(body, sent).catch(reject)
      else sent.end(body)
    })
  }
}

/** Also for a response that broke off. */
export function unavailable(error: unknown): never {
  throw new ExecutorUnavailable('the host agent cannot be reached or broke off', { cause: error })
}
