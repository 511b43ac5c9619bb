import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { bytesWithin } from '../../server/base/bytes-within.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { readCredentials } from './cluster-access.ts'
import { KubernetesUnavailable } from './failures.ts'

export interface Exchange {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  query?: Record<string, string>
  body?: object
  signal: AbortSignal
}

/** Connections that a process keeps; a watch has one of them for as long as it lasts. */
const connectionsMax = 32

/** Sends requests to one API server over TLS, which its own authority has to prove. Follows no redirection. */
export class Exchanges {
  readonly #access: ClusterAccess
  // A peer that is gone is noticed by keep-alive probes, also by a watch that expects nothing.
  readonly #agent = new Agent({ keepAlive: true, keepAliveMsecs: 15_000, maxSockets: connectionsMax })

  constructor(access: ClusterAccess) {
    this.#access = access
  }

  /** The answer as its head comes. Aborting the signal also ends the reading of its body. */
  async open({ method, path, query, body, signal }: Exchange): Promise<IncomingMessage> {
    const { token, ...tls } = await readCredentials(this.#access)
    const url = new URL(path, this.#access.server)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    const payload = body && JSON.stringify(body)
    const headers = {
      accept: 'application/json',
      'user-agent': 'sandbox-jobs',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      // Node sends a DELETE in chunks without it, which not every server reads.
      ...(payload !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
      }),
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const sent = request(url, { ...tls, method, headers, agent: this.#agent }, (answer) => {
      // Its reader gets the error too; an abort may come while nobody reads, and would end the process.
      answer.on('error', () => {})
      resolve(answer)
    })
    // With the option "signal" of Node an abort after the last byte is an error of the socket, which nobody has any more.
    const abort = () => sent.destroy()
    signal.addEventListener('abort', abort)
    sent.once('close', () => signal.removeEventListener('abort', abort))
    sent.on('error', reject)
    if (signal.aborted) abort()
    sent.end(payload)
    return promise.catch((error: unknown) => {
      throw new KubernetesUnavailable('the API server does not answer', { cause: error })
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** The whole body of an answer, if it is not longer. */
export async function bodyOf(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  try {
    const bytes = await bytesWithin(answer, maxBytes)
    if (bytes) return bytes
    throw new Error(`it has more than ${maxBytes} bytes`)
  } catch (error) {
    answer.destroy()
    throw new KubernetesUnavailable('the answer of the API server is cut or too long', { cause: error })
  }
}
