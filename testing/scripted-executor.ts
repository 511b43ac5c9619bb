import type { Readable } from 'node:stream'
import { ExecutorUnavailable, SandboxUnknown } from '../agent/port/errors.ts'
import type { FolderEntry } from '../agent/port/folder-entries.ts'
import type { ImageLayer } from '../agent/port/images.ts'
import type { SandboxExit } from '../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../agent/port/sandbox-spec.ts'
import type { ProgramInput, StartInput } from '../agent/port/start-input.ts'
import { FakeExecutor, type FakeOutcome } from './fake-executor/fake-executor.ts'

/** Results of a scripted sandbox. */
export interface ScriptedResult {
  exit?: Partial<SandboxExit>
  log?: string
  output?: string
  /** Path (latin1) to content. */
  artifacts?: Record<string, string>
  /** Files that are left in the session. */
  folder?: FolderEntry[]
}

/** The record of an exit with 0, with the given changes. */
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
  sharedMemoryFull: false,
  peakMemoryBytes: 4096,
  cpuMs: 5,
  network: { ingressBytes: 0, egressBytes: 0 },
  log: { totalBytes: 0, keptBytes: 0 },
  files: { output: { status: 'absent', byteSize: 0 } },
  tree: { status: 'absent', reason: '', files: [] },
  folder: null,
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
  /** Ends a sandbox that the script holds. */
  end: (result: ScriptedResult) => void
}

/**
 * A fake host that tests control: sandboxes return scripted results or end on request, calls fail on request, and it
 * records what was started. It outlives the workers that use it, as a host does.
 */
export class ScriptedExecutor extends FakeExecutor {
  /** Each started program by sandbox id; a repeated id breaks the port's promise of at most one start. */
  readonly started: string[] = []
  readonly #sandboxes = new Map<string, Started>()
  readonly #opened = new Map<string, ProgramInput>()
  readonly #failures: { call: Call; error: Error; after: boolean }[] = []
  readonly #waiters: { count: number; resolve: () => void }[] = []
  readonly #callWaiters: { call: Call; resolve: () => void }[] = []
  readonly #unavailable = new Map<Call, boolean>()
  #script: (spec: SandboxSpec) => ScriptedResult | 'hold' = () => ({})

  constructor() {
    super((spec, input) => this.#start(spec, input), slots)
  }

  /** Results of sandboxes that start from now on; `hold` lets a sandbox run until `end`. */
  script(script: (spec: SandboxSpec) => ScriptedResult | 'hold'): void {
    this.#script = script
  }

  /** The next such call fails; with `after` it fails after it has taken effect. */
  failNext(call: Call, error: Error = new ExecutorUnavailable('away'), after = false): void {
    this.#failures.push({ call, error, after })
  }

  /** Resolves once that many programs were started in total. */
  untilStarted(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push({ count, resolve })
      this.#resolveWaiters()
    })
  }

  /** All such calls fail until `recover`; with `after` they fail after they have taken effect. */
  failAll(call: Call, after = false): void {
    this.#unavailable.set(call, after)
  }

  recover(): void {
    this.#unavailable.clear()
  }

  /** Resolves at the next such call. */
  untilCalled(call: Call): Promise<void> {
    return new Promise((resolve) => {
      this.#callWaiters.push({ call, resolve })
    })
  }

  end(id: string, result: ScriptedResult): void {
    this.#require(id).end(result)
  }

  stdinOf(id: string): Buffer {
    return this.#require(id).stdin
  }

  /** The input that the last start of the sandbox opened. */
  openedOf(id: string): ProgramInput | undefined {
    return this.#opened.get(id)
  }

  specOf(id: string): SandboxSpec {
    return this.#require(id).spec
  }

  /** Loses a sandbox, as if the host had been wiped. */
  lose(id: string): void {
    this.forget(id)
  }

  override start(spec: SandboxSpec, input: StartInput): Promise<void> {
    const open = async () => {
      const opened = await input.open()
      this.#opened.set(spec.id, opened)
      return opened
    }
    return this.#failing('start', () => super.start(spec, { open }))
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

  /** Accepts any bytes for any digest: tests of runs have no images to hash. */
  override installImage(digest: string, layer: ImageLayer): Promise<void> {
    return this.#failing('installImage', async () => {
      for await (const _ of await layer.openStored());
      this.placeImage(digest)
    })
  }

  override removeImage(digest: string): Promise<void> {
    return this.#failing('removeImage', () => super.removeImage(digest))
  }

  #start(spec: SandboxSpec, stdin: Buffer): FakeOutcome | Promise<FakeOutcome> {
    const { promise, resolve } = Promise.withResolvers<FakeOutcome>()
    this.#sandboxes.set(spec.id, { spec, stdin, end: (result) => resolve(outcomeOf(result)) })
    this.started.push(spec.id)
    const result = this.#script(spec)
    this.#resolveWaiters()
    return result === 'hold' ? promise : outcomeOf(result)
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
    const after = this.#unavailable.get(call)
    if (after !== undefined) return { error: new ExecutorUnavailable('away'), after }
    const index = this.#failures.findIndex((failure) => failure.call === call)
    return index < 0 ? undefined : this.#failures.splice(index, 1)[0]
  }

  #require(id: string): Started {
    const sandbox = this.#sandboxes.get(id)
    if (!sandbox) throw new SandboxUnknown(id)
    return sandbox
  }

  #resolveWaiters(): void {
    for (const waiter of this.#waiters) if (this.started.length >= waiter.count) waiter.resolve()
  }
}

/** More than any worker of a test uses. */
const slots = 1024

const outcomeOf = ({ exit, log, output, artifacts, folder }: ScriptedResult): FakeOutcome => ({
  exit: { peakMemoryBytes: 4096, cpuMs: 5, ...exit },
  ...(log !== undefined && { log }),
  ...(output !== undefined && { files: { output: Buffer.from(output) } }),
  ...(folder && { folder }),
  ...(artifacts && {
    tree: Object.entries(artifacts).map(([path, content]) => ({ path, content: Buffer.from(content) })),
  }),
})
