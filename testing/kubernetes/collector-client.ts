import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { gatewayName } from '../../kubernetes/gateway/authority.ts'

export interface Answer {
  status: number
  body: Record<string, unknown>
}

/** A client of a gateway, as a collector is one; it can also be a hostile one. */
export class CollectorClient {
  readonly #agent: Agent
  readonly #to: { address: string; port: number }

  constructor(to: { address: string; port: number }, authority: string) {
    this.#to = to
    this.#agent = new Agent({ keepAlive: true, maxSockets: 2, ca: authority, servername: gatewayName })
  }

  /** One request, and its answer as its head comes. */
  open(
    method: string,
    path: string,
    {
      bearer = '',
      body,
      headers = {},
    }: { bearer?: string; body?: Buffer; headers?: Record<string, string> } = {},
  ): Promise<IncomingMessage> {
    const length = method === 'GET' ? {} : { 'content-length': String(body?.length ?? 0) }
    const { address: host, port } = this.#to
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, host, port, method, path }
      request({ ...options, headers: { authorization: `Bearer ${bearer}`, ...length, ...headers } }, resolve)
        .once('error', reject)
        .end(body)
    })
  }

  async ask(method: string, path: string, options?: Parameters<CollectorClient['open']>[2]): Promise<Answer> {
    const answer = await this.open(method, path, options)
    const bytes = await buffer(answer)
    return { status: answer.statusCode ?? 0, body: JSON.parse(bytes.toString()) as Record<string, unknown> }
  }

  close(): void {
    this.#agent.destroy()
  }
}
