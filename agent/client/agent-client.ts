import type { Readable } from 'node:stream'
import { buffer, json } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'
import type { ExecutorCapacity } from '../port/capacity.ts'
import type { Executor } from '../port/executor.ts'
import type { ImageLayer } from '../port/images.ts'
import type { PackageMirror } from '../port/package-mirror.ts'
import type { Builder, Runner } from '../port/platform.ts'
import type { LogPart } from '../port/results.ts'
import type { SandboxExit } from '../port/sandbox-exit.ts'
import type { SandboxSpec } from '../port/sandbox-spec.ts'
import type { SandboxSummary } from '../port/sandboxes.ts'
import type { StartInput } from '../port/start-input.ts'
import { type JsonAnswers, logStartHeader, type ProcessUse } from '../protocol/answers.ts'
import type { AgentRequest } from '../protocol/requests.ts'
import { startBody } from '../protocol/start-body.ts'
import { type CallOptions, Connection, unavailable } from './connection.ts'

/** The host executor: the ports over the host agent's unix socket. Each call is one request. */
export class AgentClient implements Executor {
  readonly #connection: Connection

  constructor(socketPath: string) {
    this.#connection = new Connection(socketPath)
  }

  async start(spec: SandboxSpec, input: StartInput): Promise<void> {
    const body = startBody(spec, await input.open())
    const response = await this.#connection.call({ kind: 'start', id: spec.id }, body)
    // The response starts at once and ends when the input was read.
    await finished(response.resume()).catch(unavailable)
  }

  wait(id: string, signal?: AbortSignal): Promise<SandboxExit> {
    return this.#json({ kind: 'wait', id }, { signal })
  }

  stop(id: string): Promise<void> {
    return this.#done({ kind: 'stop', id })
  }

  terminate(id: string): Promise<void> {
    return this.#done({ kind: 'terminate', id })
  }

  forbid(id: string): Promise<boolean> {
    return this.#json({ kind: 'forbid', id })
  }

  log(id: string): Promise<Readable> {
    return this.#connection.call({ kind: 'log', id })
  }

  async logSince(id: string, position: number, waitMs = 0): Promise<LogPart> {
    const response = await this.#connection.call({ kind: 'logSince', id, position, waitMs })
    const bytes = await buffer(response).catch(unavailable)
    return { start: Number(response.headers[logStartHeader]), bytes }
  }

  file(id: string, name: string): Promise<Readable> {
    return this.#connection.call({ kind: 'file', id, name })
  }

  tree(id: string): Promise<Readable> {
    return this.#connection.call({ kind: 'tree', id })
  }

  folder(id: string): Promise<Readable> {
    return this.#connection.call({ kind: 'folder', id })
  }

  remove(id: string): Promise<void> {
    return this.#done({ kind: 'remove', id })
  }

  list(): Promise<SandboxSummary[]> {
    return this.#json({ kind: 'list' })
  }

  hasImage(digest: string): Promise<boolean> {
    return this.#json({ kind: 'hasImage', digest })
  }

  async installImage(digest: string, layer: ImageLayer, lower?: string): Promise<void> {
    return this.#done({ kind: 'installImage', digest, lower }, { body: await layer.openTar() })
  }

  removeImage(digest: string): Promise<void> {
    return this.#done({ kind: 'removeImage', digest })
  }

  capacity(): Promise<ExecutorCapacity> {
    return this.#json({ kind: 'capacity' })
  }

  runner(): Promise<Runner> {
    return this.#json({ kind: 'runner' })
  }

  builder(): Promise<Builder> {
    return this.#json({ kind: 'builder' })
  }

  mirrors(): Promise<PackageMirror[]> {
    return this.#json({ kind: 'mirrors' })
  }

  /** The use of the agent's process. */
  process(): Promise<ProcessUse> {
    return this.#json({ kind: 'process' })
  }

  /** Ends idle connections. */
  close(): void {
    this.#connection.close()
  }

  async #json<Kind extends keyof JsonAnswers>(
    request: AgentRequest & { kind: Kind },
    options?: CallOptions,
  ): Promise<JsonAnswers[Kind]> {
    const response = await this.#connection.call(request, options)
    return (await json(response).catch(unavailable)) as JsonAnswers[Kind]
  }

  async #done(request: AgentRequest, options?: CallOptions): Promise<void> {
    const response = await this.#connection.call(request, options)
    response.resume()
  }
}
