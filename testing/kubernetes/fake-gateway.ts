import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { RelayAnswer, RelayedRequest, RelayOrder } from './relay-messages.ts'

export interface GatewayRequest {
  method: string
  /** Below the name of the pod. */
  path: string
  authorization: string
  body: Buffer
}

export type GatewayAnswer =
  | { status: number; body: object }
  | { stream: Buffer; end: 'ends' | 'goes on' | 'cuts' }
  | 'breaks'
  | 'stalls'

export interface Listener {
  address: string
  port: number
  certificate: string
  key: string
}

export type Answering = (request: GatewayRequest, times: number) => GatewayAnswer

const pod = /^\/runner\/v1\/[^/]+\//

/** The gateway of one pod, in its network namespace. `answers` decides, by the method and the path without its query. */
export class FakeGateway {
  readonly #relay: ChildProcess
  readonly requests: GatewayRequest[] = []
  refusedHandshakes = 0
  #arrived = Promise.withResolvers<void>()
  readonly answers: Record<string, Answering> = {}

  private constructor(relay: ChildProcess) {
    this.#relay = relay
  }

  /** `words` start a program in the namespace. */
  static async start(words: readonly string[], listener: Listener): Promise<FakeGateway> {
    const [command = '', ...rest] = words
    const relay = fork(join(import.meta.dirname, 'gateway-relay.ts'), {
      execPath: command,
      execArgv: [...rest, process.execPath],
    })
    const gateway = new FakeGateway(relay)
    relay.send(listener satisfies RelayOrder)
    await once(relay, 'message')
    relay.on('message', (request: RelayedRequest) => gateway.#answer(request))
    return gateway
  }

  /** Waits for a request with this method and path, and returns its body. */
  async body(what: string): Promise<Buffer> {
    for (;;) {
      const [body] = this.bodies(what)
      if (body) return body
      await this.#arrived.promise
    }
  }

  /** The bodies of the requests with this method and path. */
  bodies(what: string): Buffer[] {
    return this.requests.filter((request) => named(request) === what).map(({ body }) => body)
  }

  #answer({ number, method, path, authorization, body }: RelayedRequest): void {
    if (method === 'TLS') {
      this.refusedHandshakes += 1
      return
    }
    const request = { method, path: path.replace(pod, ''), authorization, body: Buffer.from(body, 'base64') }
    this.requests.push(request)
    this.#arrived.resolve()
    this.#arrived = Promise.withResolvers<void>()
    const times = this.requests.filter((other) => named(other) === named(request)).length
    const answer = this.answers[named(request)]?.(request, times) ?? { status: 200, body: {} }
    if (answer === 'stalls') return
    this.#relay.send(relayed(number, answer))
  }

  async stop(): Promise<void> {
    this.#relay.kill('SIGKILL')
    await once(this.#relay, 'exit')
  }
}

const named = ({ method, path }: GatewayRequest) => `${method} ${path.split('?')[0]}`

function relayed(number: number, answer: Exclude<GatewayAnswer, 'stalls'>): RelayAnswer {
  const base = { number, status: 200, body: '', isStream: false }
  if (answer === 'breaks') return { ...base, end: 'breaks' }
  if ('stream' in answer)
    return { ...base, isStream: true, body: answer.stream.toString('base64'), end: answer.end }
  const body = Buffer.from(JSON.stringify(answer.body)).toString('base64')
  return { ...base, status: answer.status, body, end: 'ends' }
}
