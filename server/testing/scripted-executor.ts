import type { Readable } from 'node:stream'
import { FakeExecutor, type FakeOutcome } from '../executor/fake/fake-executor.ts'
import { ExecutorUnavailable, type SandboxExit, type SandboxSpec, SandboxUnknown } from '../executor/port.ts'

/** What a scripted sandbox leaves behind. */
export interface Left {
  exit?: Partial<SandboxExit>
  log?: string
  output?: string
  /** Path (latin1) to content. */
  artifacts?: Record<string, string>
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
  network: { ingressBytes: 0, egressBytes: 0 },
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

interface Started {
  spec: SandboxSpec
  stdin: Buffer
  /** Ends a sandbox that was left to run. */
  end: (left: Left) => void
}

/**
 * The fake host with a hand on it: its sandboxes do what a test says and end when it says so, its calls fail when it
 * says so, and it tells what was started. It outlives the workers that use it, as a host does.
 */
export class ScriptedExecutor extends FakeExecutor {
  /** Every program that was started, by sandbox id; an id that shows twice broke the port's promise. */
  readonly started: string[] = []
  readonly #sandboxes = new Map<string, Started>()
  readonly #failures: { call: Call; error: Error; after: boolean }[] = []
  readonly #waiters: { count: number; resolve: () => void }[] = []
  readonly #callWaiters: { call: Call; resolve: () => void }[] = []
  readonly #away = new Map<Call, boolean>()
  #script: (spec: SandboxSpec) => Left | 'hold' = () => ({})

  constructor() {
    super((spec, input) => this.#begin(spec, input), slots)
  }

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
    this.#require(id).end(left)
  }

  stdinOf(id: string): Buffer {
    return this.#require(id).stdin
  }

  specOf(id: string): SandboxSpec {
    return this.#require(id).spec
  }

  /** As if the host had been wiped. */
  lose(id: string): void {
    this.forget(id)
  }

  override start(spec: SandboxSpec, stdin: Buffer | Readable, masked?: readonly string[]): Promise<void> {
    return this.#failing('start', () => super.start(spec, stdin, masked))
  }

  override wait(id: string, signal?: AbortSignal): Promise<SandboxExit> {
    return this.#failing('wait', () => super.wait(id, signal))
  }

  override stop(id: string): Promise<void> {
    return this.#failing('stop', () => super.stop(id))
  }

  override forbid(id: string): Promise<boolean> {
    return this.#failing('forbid', () => super.forbid(id))
  }

  override log(id: string): Promise<Readable> {
    return this.#failing('log', () => super.log(id))
  }

  override file(id: string, name: string): Promise<Readable> {
    return this.#failing('file', () => super.file(id, name))
  }

  override tree(id: string): Promise<Readable> {
    return this.#failing('tree', () => super.tree(id))
  }

  override remove(id: string): Promise<void> {
    return this.#failing('remove', () => super.remove(id))
  }

  /** Takes any bytes for any digest: tests of runs have no images to hash. */
  override installImage(digest: string, tar: Readable): Promise<void> {
    return this.#failing('installImage', async () => {
      for await (const _ of tar);
      this.placeImage(digest)
    })
  }

  override removeImage(digest: string): Promise<void> {
    return this.#failing('removeImage', () => super.removeImage(digest))
  }

  #begin(spec: SandboxSpec, stdin: Buffer): FakeOutcome | Promise<FakeOutcome> {
    const { promise, resolve } = Promise.withResolvers<FakeOutcome>()
    this.#sandboxes.set(spec.id, { spec, stdin, end: (left) => resolve(outcomeOf(left)) })
    this.started.push(spec.id)
    const left = this.#script(spec)
    this.#tellWaiters()
    return left === 'hold' ? promise : outcomeOf(left)
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

  #require(id: string): Started {
    const sandbox = this.#sandboxes.get(id)
    if (!sandbox) throw new SandboxUnknown(id)
    return sandbox
  }

  #tellWaiters(): void {
    for (const waiter of this.#waiters) if (this.started.length >= waiter.count) waiter.resolve()
  }
}

/** More than any worker of a test has. */
const slots = 1024

const outcomeOf = ({ exit, log, output, artifacts }: Left): FakeOutcome => ({
  exit: { peakMemoryBytes: 4096, cpuMs: 5, ...exit },
  ...(log !== undefined && { log }),
  ...(output !== undefined && { files: { output: Buffer.from(output) } }),
  ...(artifacts && {
    tree: Object.entries(artifacts).map(([path, content]) => ({ path, content: Buffer.from(content) })),
  }),
})
