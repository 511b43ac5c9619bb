import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ExecutorCapacity } from '../../agent/port/capacity.ts'
import { ExecutorRefused, ExecutorUnavailable, SandboxUnknown } from '../../agent/port/errors.ts'
import type { Executor } from '../../agent/port/executor.ts'
import { type FolderEntry, folderBytes } from '../../agent/port/folder-entries.ts'
import type { ImageLayer } from '../../agent/port/images.ts'
import type { KnownContent } from '../../agent/port/known-contents.ts'
import type { PackageMirror } from '../../agent/port/package-mirror.ts'
import type { Builder, Runner } from '../../agent/port/platform.ts'
import { noCapacity } from '../../agent/port/refusal-causes.ts'
import type { LogPart } from '../../agent/port/results.ts'
import type { SandboxCause, SandboxExit } from '../../agent/port/sandbox-exit.ts'
import type { SandboxSpec } from '../../agent/port/sandbox-spec.ts'
import type { SandboxSummary } from '../../agent/port/sandboxes.ts'
import { requireInTime } from '../../agent/port/start-in-time.ts'
import type { StartInput } from '../../agent/port/start-input.ts'
import { unknownTime } from '../../reader/formats/file-time.ts'
import { systemClock } from '../../server/base/clock.ts'
import { chainDigest, sha256Of } from '../../server/base/sha256.ts'

/** The results of a scripted program. */
export interface FakeOutcome {
  exit?: Partial<SandboxExit>
  log?: string
  files?: Record<string, Buffer>
  tree?: { path: string; content: Buffer }[]
  folder?: FolderEntry[]
}

export type FakeProgram = (
  spec: SandboxSpec,
  input: Buffer,
  /** Fires when the program is stopped, or reaches its deadline. */
  signal: AbortSignal,
  /** Sets the log of the running program. */
  print: (log: string) => void,
) => FakeOutcome | Promise<FakeOutcome>

interface FakeSandbox {
  spec: SandboxSpec
  masked: readonly string[]
  known: readonly KnownContent[]
  stop: AbortController
  ended: Promise<void>
  exit?: SandboxExit
  outcome: FakeOutcome
}

/**
 * The executor port in memory: each sandbox is one call of `program`, whose signal is aborted by `stop`. It fulfils the
 * port's contract for starting, stopping, reading and removing, but confines nothing. The same conformance suite runs
 * against it and the real executor.
 */
export class FakeExecutor implements Executor {
  readonly #program: FakeProgram
  readonly #slots: number
  readonly #known = new Map<string, FakeSandbox | 'forbidden' | 'removed'>()
  readonly #images = new Set<string>()

  constructor(program: FakeProgram, slots = 16) {
    this.#program = program
    this.#slots = slots
  }

  async capacity(): Promise<ExecutorCapacity> {
    const warmStarts = { hits: 0, misses: 0 }
    return { cpus: 2, memoryBytes: 2 ** 32, slots: this.#slots, running: this.#running(), warmStarts }
  }

  async runner(): Promise<Runner> {
    return {
      layerDigest: `sha256:${'f'.repeat(64)}`,
      abiRevision: 1,
      policyDigest: `sha256:${'e'.repeat(64)}`,
    }
  }

  async builder(): Promise<Builder> {
    return { toolchainDigest: `sha256:${'d'.repeat(64)}`, baseImages: [] }
  }

  async mirrors(): Promise<PackageMirror[]> {
    return []
  }

  async start(spec: SandboxSpec, input: StartInput): Promise<void> {
    const { bytes, masked = [], known = [] } = await input.open()
    const earlier = this.#known.get(spec.id)
    if (earlier === 'forbidden' || earlier === 'removed') {
      throw new ExecutorRefused(earlier, `sandbox ${spec.id} may not start`)
    }
    if (earlier) return
    requireInTime(spec, new Date())
    if (this.#running() >= this.#slots) throw new ExecutorRefused(noCapacity, 'every slot is in use')
    if (spec.rootfs.kind === 'image' && !this.#images.has(spec.rootfs.digest)) {
      throw new ExecutorRefused('image_missing', `install ${spec.rootfs.digest} first`)
    }
    const stop = new AbortController()
    const sandbox: FakeSandbox = { spec, masked, known, stop, ended: Promise.resolve(), outcome: {} }
    this.#known.set(spec.id, sandbox)
    const reading = Buffer.isBuffer(bytes) ? Promise.resolve(bytes) : buffer(bytes)
    sandbox.ended = reading.then(
      (read) => this.#run(sandbox, read),
      () => void this.#known.delete(spec.id),
    )
    await reading.catch((cause: unknown) => {
      throw new ExecutorUnavailable('the input broke off', { cause })
    })
  }

  async wait(id: string, signal?: AbortSignal): Promise<SandboxExit> {
    const sandbox = this.#find(id)
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    signal?.throwIfAborted()
    await Promise.race([sandbox.ended, aborted])
    if (!sandbox.exit) throw new SandboxUnknown(id)
    return sandbox.exit
  }

  async stop(id: string): Promise<void> {
    this.#find(id).stop.abort()
  }

  terminate(id: string): Promise<void> {
    return this.stop(id)
  }

  async forbid(id: string): Promise<boolean> {
    if (!this.#known.has(id)) this.#known.set(id, 'forbidden')
    return this.#known.get(id) === 'forbidden'
  }

  async log(id: string): Promise<Readable> {
    const { outcome, masked } = this.#find(id)
    const log = masked.reduce((text, value) => text.replaceAll(value, '[masked]'), outcome.log ?? '')
    return Readable.from([Buffer.from(log)])
  }

  async logSince(id: string, position: number): Promise<LogPart> {
    const log = await buffer(await this.log(id))
    const start = Math.min(position, log.length)
    return { start, bytes: log.subarray(start) }
  }

  async file(id: string, name: string): Promise<Readable> {
    const { exit, outcome } = this.#find(id)
    const content = outcome.files?.[name]
    if (exit?.files[name]?.status !== 'present' || !content) throw new SandboxUnknown(`${id}/${name}`)
    return Readable.from([content])
  }

  async tree(id: string): Promise<Readable> {
    const { exit, outcome } = this.#find(id)
    if (exit?.tree?.status === 'absent') return Readable.from([])
    if (exit?.tree?.status !== 'collected') throw new SandboxUnknown(`${id}/tree`)
    return Readable.from(inChunks(Buffer.concat((outcome.tree ?? []).map((file) => file.content))))
  }

  async folder(id: string): Promise<Readable> {
    const { exit, outcome, known } = this.#find(id)
    if (exit?.folder?.status === 'absent') return Readable.from([])
    if (exit?.folder?.status !== 'collected') throw new SandboxUnknown(`${id}/folder`)
    return Readable.from(inChunks(folderBytes(outcome.folder ?? [], known)))
  }

  async remove(id: string): Promise<void> {
    const sandbox = this.#known.get(id)
    if (!sandbox || typeof sandbox === 'string') return
    if (!sandbox.exit) throw new ExecutorRefused('running', `sandbox ${id} has not ended: stop it first`)
    this.#known.set(id, 'removed')
  }

  async list(): Promise<SandboxSummary[]> {
    return [...this.#known].flatMap(([id, sandbox]): SandboxSummary[] => {
      if (sandbox === 'removed') return []
      if (sandbox === 'forbidden') return [{ id, state: 'forbidden' }]
      return [{ id, state: sandbox.exit ? 'exited' : 'running' }]
    })
  }

  async hasImage(digest: string): Promise<boolean> {
    return this.#images.has(digest)
  }

  async installImage(digest: string, layer: ImageLayer, lower?: string): Promise<void> {
    const tar = await layer.openTar()
    if (lower !== undefined && !this.#images.has(lower)) {
      throw new ExecutorRefused('image_missing', `${lower} is not installed`)
    }
    const found = chainDigest(lower, sha256Of(await buffer(tar)))
    if (found !== digest) throw new ExecutorRefused('digest_mismatch', `the image's bytes are ${found}`)
    this.placeImage(digest)
  }

  /** Marks an image as installed without its bytes. */
  protected placeImage(digest: string): void {
    this.#images.add(digest)
  }

  async removeImage(digest: string): Promise<void> {
    if (this.#usesImage(digest)) throw new ExecutorRefused('image_in_use', `a sandbox uses ${digest}`)
    this.#images.delete(digest)
  }

  /** As if the host had lost the sandbox and every record of it. */
  protected forget(id: string): void {
    this.#known.delete(id)
  }

  async #run(sandbox: FakeSandbox, input: Buffer): Promise<void> {
    const { spec, stop } = sandbox
    const deadline = AbortSignal.timeout(spec.limits.timeoutMs)
    const signal = AbortSignal.any([stop.signal, deadline])
    const killed = new Promise<'killed'>((resolve) => {
      if (signal.aborted) resolve('killed')
      signal.addEventListener('abort', () => resolve('killed'), { once: true })
    })
    const print = (log: string) => {
      sandbox.outcome = { log }
    }
    const outcome = await Promise.race([this.#program(spec, input, signal, print), killed])
    if (outcome !== 'killed') sandbox.outcome = outcome
    const cause = deadline.aborted ? 'deadline' : 'stopped'
    sandbox.exit = exitOf(spec, sandbox.outcome, outcome === 'killed' ? cause : 'exited')
  }

  #running(): number {
    return this.#live().length
  }

  #usesImage(digest: string): boolean {
    return this.#live().some(({ spec: { rootfs } }) => rootfs.kind === 'image' && rootfs.digest === digest)
  }

  #live(): FakeSandbox[] {
    return [...this.#known.values()].filter(
      (sandbox): sandbox is FakeSandbox => typeof sandbox !== 'string' && !sandbox.exit,
    )
  }

  #find(id: string): FakeSandbox {
    const sandbox = this.#known.get(id)
    if (!sandbox || typeof sandbox === 'string') throw new SandboxUnknown(id)
    return sandbox
  }
}

/** Splits at offsets that are not file boundaries. */
function* inChunks(bytes: Buffer): Generator<Buffer> {
  const size = Math.max(3, Math.ceil(bytes.length / 64))
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function exitOf(spec: SandboxSpec, outcome: FakeOutcome, cause: SandboxCause): SandboxExit {
  const logBytes = Buffer.byteLength(outcome.log ?? '')
  const at = systemClock.now().toISOString()
  const files = spec.collect.files.map(({ name }): [string, SandboxExit['files'][string]] => {
    const content = outcome.files?.[name]
    return [name, { status: content ? 'present' : 'absent', byteSize: content?.length ?? 0 }]
  })
  const tree = outcome.tree?.map(({ path, content }) => ({
    path,
    byteSize: content.length,
    modifiedAt: unknownTime,
  }))
  return {
    cause,
    exitCode: cause === 'exited' ? 0 : null,
    signal: null,
    detail: '',
    startedAt: at,
    endedAt: at,
    oomKills: 0,
    pidsLimitHits: 0,
    workspaceFull: false,
    sharedMemoryFull: false,
    peakMemoryBytes: 0,
    cpuMs: 0,
    network: { ingressBytes: 0, egressBytes: 0 },
    log: { totalBytes: logBytes, keptBytes: logBytes },
    files: Object.fromEntries(files),
    tree: spec.collect.tree ? { status: tree ? 'collected' : 'absent', reason: '', files: tree ?? [] } : null,
    folder: spec.collect.folder ? { status: outcome.folder ? 'collected' : 'absent', reason: '' } : null,
    ...outcome.exit,
  }
}
