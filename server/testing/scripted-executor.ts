import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import {
  type Executor,
  type ExecutorCapacity,
  ExecutorRefused,
  ExecutorUnavailable,
  type SandboxExit,
  type SandboxSpec,
  type SandboxSummary,
  SandboxUnknown,
} from '../executor/port.ts'

/** What a scripted sandbox leaves behind. */
export interface Left {
  exit?: Partial<SandboxExit>
  log?: string
  output?: string
  /** Path (latin1) to content. */
  artifacts?: Record<string, string>
}

interface Sandbox {
  spec: SandboxSpec
  stdin: Buffer
  state: SandboxSummary['state']
  left?: Left | undefined
  ended: Promise<void>
  end: () => void
}

/** The record of an exit with 0, changed as a test needs. */
export const exitRecord = (change: Partial<SandboxExit> = {}): SandboxExit => ({
  cause: 'exited',
  exitCode: 0,
  signal: null,
  detail: '',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: '2026-01-01T00:00:01.000Z',
  oomKills: 0,
  pidsLimitHits: 0,
  workspaceFull: false,
  peakMemoryBytes: 4096,
  cpuMs: 5,
  log: { totalBytes: 0, keptBytes: 0 },
  files: { output: { status: 'absent', byteSize: 0 } },
  tree: { status: 'absent', reason: '', files: [] },
  ...change,
})

type Call =
  | 'start'
  | 'wait'
  | 'stop'
  | 'forbid'
  | 'remove'
  | 'installImage'
  | 'removeImage'
  | 'log'
  | 'file'
  | 'tree'

/**
 * An executor whose sandboxes do what a test says, with the port's promises: at most one start per id, records that
 * stay until they are removed. It outlives the workers that use it, as a host does.
 */
export class ScriptedExecutor implements Executor {
  readonly images = new Set<string>()
  /** Every program that was started, by sandbox id; an id that shows twice broke the port's promise. */
  readonly started: string[] = []
  readonly #sandboxes = new Map<string, Sandbox>()
  readonly #failures: { call: Call; error: Error; after: boolean }[] = []
  readonly #waiters: { count: number; resolve: () => void }[] = []
  readonly #callWaiters: { call: Call; resolve: () => void }[] = []
  readonly #away = new Map<Call, boolean>()
  #script: (spec: SandboxSpec) => Left | 'hold' = () => ({})

  /** What a sandbox leaves that is started from now on; `hold` lets it run until `end`. */
  script(script: (spec: SandboxSpec) => Left | 'hold'): void {
    this.#script = script
  }

  /** The next such call fails; with `after` it has its effect all the same. */
  failNext(call: Call, error: Error = new ExecutorUnavailable('away'), after = false): void {
    this.#failures.push({ call, error, after })
  }

  /** Resolves once that many programs were started in all. */
  untilStarted(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ count, resolve })
      this.#tellWaiters()
    })
  }

  /** Every such call fails until `comeBack`; with `after` it has its effect all the same. */
  goAway(call: Call, after = false): void {
    this.#away.set(call, after)
  }

  comeBack(): void {
    this.#away.clear()
  }

  /** Resolves once such a call was made. */
  untilCalled(call: Call): Promise<void> {
    return new Promise((resolve) => {
      this.#callWaiters.push({ call, resolve })
    })
  }

  end(id: string, left: Left): void {
    const sandbox = this.#require(id)
    if (sandbox.state !== 'running') return
    sandbox.left = left
    sandbox.state = 'exited'
    sandbox.end()
  }

  stdinOf(id: string): Buffer {
    return this.#require(id).stdin
  }

  specOf(id: string): SandboxSpec {
    return this.#require(id).spec
  }

  /** As if the host had been wiped. */
  lose(id: string): void {
    this.#sandboxes.delete(id)
  }

  async start(spec: SandboxSpec, stdin: Buffer | Readable): Promise<void> {
    return this.#failing('start', async () => {
      const known = this.#sandboxes.get(spec.id)
      if (known?.state === 'forbidden') throw new ExecutorRefused('forbidden', 'forbidden')
      if (known) return
      if (spec.rootfs.kind === 'image' && !this.images.has(spec.rootfs.digest)) {
        throw new ExecutorRefused('image_missing', 'no such image')
      }
      this.#add(spec, Buffer.isBuffer(stdin) ? stdin : Buffer.alloc(0), 'running')
      this.started.push(spec.id)
      const left = this.#script(spec)
      if (left !== 'hold') this.end(spec.id, left)
      this.#tellWaiters()
    })
  }

  async wait(id: string, signal?: AbortSignal): Promise<SandboxExit> {
    return this.#failing('wait', async () => {
      const sandbox = this.#require(id)
      await new Promise<void>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
        if (signal?.aborted) reject(new Error('aborted'))
        void sandbox.ended.then(resolve)
      })
      return recordOf(sandbox.left ?? {})
    })
  }

  async stop(id: string): Promise<void> {
    return this.#failing('stop', async () => this.end(id, { exit: { cause: 'stopped', exitCode: null } }))
  }

  async forbid(id: string): Promise<boolean> {
    return this.#failing('forbid', async () => {
      const known = this.#sandboxes.get(id)
      if (!known) this.#add({ id } as SandboxSpec, Buffer.alloc(0), 'forbidden')
      return known === undefined || known.state === 'forbidden'
    })
  }

  async log(id: string): Promise<Readable> {
    return this.#failing('log', async () => Readable.from([Buffer.from(this.#require(id).left?.log ?? '')]))
  }

  async file(id: string): Promise<Readable> {
    return this.#failing('file', async () =>
      Readable.from([Buffer.from(this.#require(id).left?.output ?? '')]),
    )
  }

  async tree(id: string): Promise<Readable> {
    const all = Object.values(this.#require(id).left?.artifacts ?? {}).join('')
    return this.#failing('tree', async () => Readable.from(inChunks(Buffer.from(all))))
  }

  async remove(id: string): Promise<void> {
    return this.#failing('remove', async () => void this.#sandboxes.delete(id))
  }

  async list(): Promise<SandboxSummary[]> {
    return [...this.#sandboxes].map(([id, { state }]) => ({ id, state }))
  }

  async hasImage(digest: string): Promise<boolean> {
    return this.images.has(digest)
  }

  async installImage(digest: string, tar: Readable): Promise<void> {
    return this.#failing('installImage', async () => {
      const hash = createHash('sha256')
      for await (const chunk of tar) hash.update(chunk as Buffer)
      this.images.add(digest)
    })
  }

  async removeImage(digest: string): Promise<void> {
    return this.#failing('removeImage', async () => void this.images.delete(digest))
  }

  async capacity(): Promise<ExecutorCapacity> {
    return { cpus: 1, memoryBytes: 1, slots: 1, running: 0 }
  }

  async #failing<T>(call: Call, work: () => Promise<T>): Promise<T> {
    for (const waiter of this.#callWaiters) if (waiter.call === call) waiter.resolve()
    const failure = this.#nextFailure(call)
    if (failure && !failure.after) throw failure.error
    const result = await work()
    if (failure) throw failure.error
    return result
  }

  #nextFailure(call: Call): { error: Error; after: boolean } | undefined {
    const after = this.#away.get(call)
    if (after !== undefined) return { error: new ExecutorUnavailable('away'), after }
    const index = this.#failures.findIndex((failure) => failure.call === call)
    return index < 0 ? undefined : this.#failures.splice(index, 1)[0]
  }

  #add(spec: SandboxSpec, stdin: Buffer, state: SandboxSummary['state']): void {
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#sandboxes.set(spec.id, { spec, stdin, state, ended, end })
  }

  #require(id: string): Sandbox {
    const sandbox = this.#sandboxes.get(id)
    if (!sandbox) throw new SandboxUnknown(id)
    return sandbox
  }

  #tellWaiters(): void {
    for (const waiter of this.#waiters) if (this.started.length >= waiter.count) waiter.resolve()
  }
}

function recordOf(left: Left): SandboxExit {
  const { log = '', output, artifacts } = left
  const files = Object.entries(artifacts ?? {}).map(([path, content]) => ({
    path,
    byteSize: Buffer.byteLength(content),
  }))
  return exitRecord({
    log: { totalBytes: log.length, keptBytes: log.length },
    files: { output: { status: output === undefined ? 'absent' : 'present', byteSize: output?.length ?? 0 } },
    tree: { status: artifacts ? 'collected' : 'absent', reason: '', files },
    ...left.exit,
  })
}

/** Files do not end where chunks do. */
function* inChunks(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += 3) yield bytes.subarray(at, at + 3)
}
