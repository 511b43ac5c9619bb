import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { buffer, json } from 'node:stream/consumers'
import { finished, pipeline } from 'node:stream/promises'
import {
  type Builder,
  type Executor,
  type ExecutorCapacity,
  ExecutorRefused,
  ExecutorUnavailable,
  type LogPart,
  type Runner,
  type SandboxExit,
  type SandboxSpec,
  type SandboxSummary,
  SandboxUnknown,
} from '../port.ts'
import { logStartHeader, maskedBytesHeader, specBytesHeader } from './agent/server.ts'

interface Call {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  body?: Buffer | Readable
  headers?: Record<string, string | number>
  signal?: AbortSignal | undefined
  isRepeated?: boolean
}

/**
 * A connection that was kept from an earlier call broke off before an answer: the agent may have closed it, or ended, before it
 * saw this call. Every call of the port may be repeated, so this one is, once.
 */
class KeptConnectionLost extends Error {}

/** The executor port over the host agent's unix socket. */
export class AgentClient implements Executor {
  readonly #socketPath: string
  readonly #connections = new Agent({ keepAlive: true, maxFreeSockets: 32 })

  constructor(socketPath: string) {
    this.#socketPath = socketPath
  }

  capacity(): Promise<ExecutorCapacity> {
    return this.#json<ExecutorCapacity>('/capacity')
  }

  runner(): Promise<Runner> {
    return this.#json<Runner>('/runner')
  }

  builder(): Promise<Builder> {
    return this.#json<Builder>('/builder')
  }

  async start(spec: SandboxSpec, stdin: Buffer | Readable, masked: readonly string[] = []): Promise<void> {
    const [first, second] = [spec, masked].map((part) => Buffer.from(JSON.stringify(part))) as [
      Buffer,
      Buffer,
    ]
    const headers = { [specBytesHeader]: first.length, [maskedBytesHeader]: second.length }
    const head = Buffer.concat([first, second])
    const path = `/sandboxes/${spec.id}/start`
    const body = Buffer.isBuffer(stdin) ? Buffer.concat([head, stdin]) : Readable.from(joined(head, stdin))
    const response = await this.#call(path, { method: 'POST', body, headers })
    // Begun at once, it ends when the input has been taken.
    await finished(response.resume()).catch(unavailable)
  }

  wait(id: string, signal?: AbortSignal): Promise<SandboxExit> {
    return this.#json<SandboxExit>(`/sandboxes/${id}/exit`, { signal })
  }

  stop(id: string): Promise<void> {
    return this.#done(`/sandboxes/${id}/stop`, { method: 'POST' })
  }

  forbid(id: string): Promise<boolean> {
    return this.#json<boolean>(`/sandboxes/${id}/forbid`, { method: 'POST' })
  }

  log(id: string): Promise<Readable> {
    return this.#call(`/sandboxes/${id}/log`)
  }

  async logSince(id: string, position: number, waitMs = 0): Promise<LogPart> {
    const response = await this.#call(`/sandboxes/${id}/news/${position}/${waitMs}`)
    const bytes = await buffer(response).catch(unavailable)
    return { start: Number(response.headers[logStartHeader]), bytes }
  }

  file(id: string, name: string): Promise<Readable> {
    return this.#call(`/sandboxes/${id}/files/${encodeURIComponent(name)}`)
  }

  tree(id: string): Promise<Readable> {
    return this.#call(`/sandboxes/${id}/tree`)
  }

  remove(id: string): Promise<void> {
    return this.#done(`/sandboxes/${id}`, { method: 'DELETE' })
  }

  list(): Promise<SandboxSummary[]> {
    return this.#json<SandboxSummary[]>('/sandboxes')
  }

  hasImage(digest: string): Promise<boolean> {
    return this.#json<boolean>(`/images/${digest}`)
  }

  installImage(digest: string, tar: Readable): Promise<void> {
    return this.#done(`/images/${digest}`, { method: 'PUT', body: tar })
  }

  removeImage(digest: string): Promise<void> {
    return this.#done(`/images/${digest}`, { method: 'DELETE' })
  }

  /** Ends idle connections. */
  close(): void {
    this.#connections.destroy()
  }

  async #json<T>(path: string, call: Call = {}): Promise<T> {
    const response = await this.#call(path, call)
    return (await json(response).catch(unavailable)) as T
  }

  async #done(path: string, call: Call): Promise<void> {
    const response = await this.#call(path, call)
    response.resume()
  }

  /** Resolves with an answer of success; every other becomes one of the port's errors. */
  async #call(path: string, call: Call = {}): Promise<IncomingMessage> {
    const response = await this.#send(path, call)
      .catch((error: unknown) => {
        if (!(error instanceof KeptConnectionLost) || call.signal?.aborted) throw error
        return this.#send(path, { ...call, isRepeated: true })
      })
      .catch((error: unknown) => {
        call.signal?.throwIfAborted()
        return unavailable(error)
      })
    if ((response.statusCode ?? 500) < 300) return response
    const told = (await json(response).catch(unavailable)) as { slug?: string; message?: string }
    if (response.statusCode === 404) throw new SandboxUnknown(path)
    if (response.statusCode === 409) {
      throw new ExecutorRefused(told.slug ?? 'refused', told.message ?? 'the host agent refuses')
    }
    throw new ExecutorUnavailable(told.message ?? `the host agent answered ${response.statusCode}`)
  }

  #send(path: string, call: Call): Promise<IncomingMessage> {
    const { method = 'GET', body, headers = {}, signal, isRepeated } = call
    return new Promise((resolve, reject) => {
      const length = Buffer.isBuffer(body) ? { 'content-length': body.length } : {}
      const request = httpRequest({
        socketPath: this.#socketPath,
        path,
        method,
        // An input may still flow after its answer: such a connection is not used again. A repetition gets a new one.
        agent: body instanceof Readable || isRepeated ? false : this.#connections,
        headers: { ...headers, ...length },
        ...(signal ? { signal } : {}),
      })
      request.on('response', resolve)
      request.on('error', (error) =>
        reject(request.reusedSocket ? new KeptConnectionLost('it broke off', { cause: error }) : error),
      )
      if (body instanceof Readable) pipeline(body, request).catch(reject)
      else request.end(body)
    })
  }
}

async function* joined(head: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield head
  for await (const chunk of rest) yield chunk as Buffer
}

function unavailable(error: unknown): never {
  throw new ExecutorUnavailable('the host agent cannot be reached or broke off', { cause: error })
}
