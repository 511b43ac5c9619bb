import { join } from 'node:path'
import type { Clock } from '../../../server/base/clock.ts'
import { atLeast } from '../../bundle/runtimes.ts'
import { Occupancy } from '../../capacity/occupancy.ts'
import type { ExecutorCapacity } from '../../port/capacity.ts'
import { ExecutorRefused, SandboxUnknown } from '../../port/errors.ts'
import { neverStarted } from '../../port/refusal-causes.ts'
import { programNeverStarted, type SandboxExit } from '../../port/sandbox-exit.ts'
import type { SandboxRuntime, SandboxSpec } from '../../port/sandbox-spec.ts'
import type { SandboxSummary } from '../../port/sandboxes.ts'
import type { MadeSandbox, MakeOptions } from '../make/made-sandbox.ts'
import { SandboxMaker, warmPrefix } from '../make/sandbox-maker.ts'
import type { InternalSandbox } from '../make/sandbox-plan.ts'
import { WarmPool } from '../make/warm-pool.ts'
import { ForbiddenIds } from '../marks/forbidden-ids.ts'
import type { Marks } from '../marks/marks.ts'
import { requireStartable } from '../marks/require-startable.ts'
import { writeKnownContents } from '../records/known-contents.ts'
import { fillStartRecord, type StartRecord } from '../records/start-record.ts'
import { Residue } from '../residue.ts'
import { sendInput } from '../shim/input-frames.ts'
import { maskedValues } from '../shim/masked-values.ts'
import { requestStop, requestTermination } from '../shim/shim.ts'
import { checkedSpec } from '../spec-check.ts'
import { recoverSandboxes } from './recover-sandboxes.ts'
import { exitOf, newSandbox, type Sandbox, stateOf } from './sandbox.ts'
import { SandboxEndings } from './sandbox-endings.ts'

export interface SandboxesOptions extends MakeOptions {
  clock: Clock
  marks: Marks
  /** Minimum isolation of every job. */
  weakestRuntime: SandboxRuntime
  slots: number
  /** Maximum number of warm sandboxes. */
  warm: number
  cpus: number
  /** Memory limit of all sandboxes together. */
  memoryBytes: number
  /** Bytes of the disk that stay free; undefined: computed from its size. */
  diskFloorBytes: number | undefined
  /** Receives failures that no caller waits for. */
  onError: (error: unknown) => void
  /** Called periodically during recovery with the number of sandbox folders handled so far. */
  onProgress: (done: number, total: number) => void
}

/** The part of a start request that is not in the start record. */
interface SandboxInput {
  /** Never written to disk, as `masked`. */
  stdin: AsyncIterable<Buffer>
  masked?: readonly string[]
  /** Records of contents that are not collected again. */
  known?: Buffer
}

/** Refuses the start of a sandbox that ended before its program started. Its id is used; the caller may start another id. */
async function refuseNeverStarted(sandbox: Sandbox): Promise<void> {
  const exit = await exitOf(sandbox)
  if (exit && programNeverStarted(exit))
    throw new ExecutorRefused(neverStarted, `it ended before its program started: ${exit.detail}`)
}

/** Prefix of sandboxes that the agent starts for itself; they are not listed. */
export const internalPrefix = 'unpack_'

/** True for ids that callers may not use. */
export const isReserved = (id: string): boolean => id.startsWith(internalPrefix) || id.startsWith(warmPrefix)

/**
 * All sandboxes of this machine. Their folders are the source of truth: the start record is written there and synced before
 * the shim takes the start signal, so an id is started at most once, even across a power cut. A folder without a start record
 * is not a start, and neither is one whose shim reports that no start signal came. The map holds these folders in memory,
 * with the shim of each live sandbox. An id without a folder may have a mark that prevents its start. A folder with a start
 * record takes precedence over a mark, because the write of a mark may have failed halfway.
 */
export class Sandboxes {
  readonly #options: SandboxesOptions
  readonly #known = new Map<string, Sandbox>()
  readonly #forbidden: ForbiddenIds
  readonly #warm: WarmPool
  readonly #residue: Residue
  readonly #maker: SandboxMaker
  readonly #occupancy: Occupancy
  readonly #endings: SandboxEndings

  constructor(options: SandboxesOptions) {
    this.#options = options
    this.#forbidden = new ForbiddenIds(options.marks)
    this.#residue = new Residue(options)
    this.#occupancy = new Occupancy({ ...options, folder: options.paths.sandboxes })
    this.#maker = new SandboxMaker(options, this.#residue)
    this.#warm = new WarmPool({
      limit: options.warm,
      freeSlots: () => this.#freeSlots(),
      make: (spec) => this.#maker.makeWarm(spec),
      destroy: (made) => this.#maker.destroy(made),
      clock: options.clock,
      onError: options.onError,
    })
    this.#endings = new SandboxEndings({
      options,
      known: this.#known,
      occupancy: this.#occupancy,
      residue: this.#residue,
      maker: this.#maker,
      warm: this.#warm,
    })
  }

  /** Takes over the sandboxes of an earlier agent. Call once, first. */
  recover(): Promise<void> {
    const { paths, marks, onProgress, onError } = this.#options
    const parts = {
      known: this.#known,
      occupancy: this.#occupancy,
      residue: this.#residue,
      maker: this.#maker,
    }
    const reports = { onProgress, onError }
    return recoverSandboxes({ ...parts, folder: paths.sandboxes, marks, endings: this.#endings, ...reports })
  }

  capacity(): ExecutorCapacity {
    const { cpus, memoryBytes, slots } = this.#options
    return { cpus, memoryBytes, slots, running: this.#occupancy.live, warmStarts: this.#warm.starts }
  }

  list(): SandboxSummary[] {
    const sandboxes = [...this.#known]
      .filter(([id]) => !id.startsWith(internalPrefix))
      .map(([id, sandbox]) => ({ id, state: stateOf(sandbox) }))
    const forbidden = this.#forbidden.latest().map((id) => ({ id, state: 'forbidden' as const }))
    return [...sandboxes, ...forbidden]
  }

  /** Stops and removes internal sandboxes of an earlier agent. */
  async removeInternal(): Promise<void> {
    for (const id of [...this.#known.keys()].filter((id) => id.startsWith(internalPrefix))) {
      try {
        await this.stop(id)
        await this.wait(id)
      } catch (error) {
        // One that had no start signal is removed by itself.
        if (!(error instanceof SandboxUnknown)) throw error
      }
      await this.remove(id)
    }
  }

  /**
   * Resolves when the program runs or has ended; `inputTaken` resolves when its input was read to the end. A second start of
   * an id reads no input.
   */
  async start(
    value: unknown,
    input: SandboxInput,
    internal?: InternalSandbox,
  ): Promise<{ inputTaken: Promise<void> }> {
    const spec = atLeast(this.#options.weakestRuntime, checkedSpec(value), internal !== undefined)
    const decided = this.#forbidden.pending(spec.id)
    if (decided) {
      await decided.catch(() => undefined)
      return this.start(value, input, internal)
    }
    const known = this.#known.get(spec.id)
    if (known) {
      await known.running.promise
      // Removed from the map meanwhile: an earlier agent had not sent the start signal.
      if (this.#known.get(spec.id) !== known) return this.start(value, input, internal)
      await refuseNeverStarted(known)
      return { inputTaken: Promise.resolve() }
    }
    const masked = maskedValues(input.masked ?? [])
    const [sandbox, made] = await this.#create(spec, internal, { masked, known: input.known })
    const inputTaken = sendInput(input.stdin, made.input, {
      timeoutMs: spec.limits.timeoutMs,
      masked,
      onRelease: () => {
        sandbox.released = true
      },
    })
    await sandbox.running.promise
    // The caller still has the input and may retry.
    if (this.#known.get(spec.id) !== sandbox) throw new Error('a sandbox died before its program could start')
    await refuseNeverStarted(sandbox)
    return { inputTaken }
  }

  /** True while a live sandbox uses that image. */
  uses(digest: string): boolean {
    return [...this.#known.values()].some(
      (sandbox) =>
        sandbox.phase !== 'gone' &&
        sandbox.startRecord.spec.rootfs.kind === 'image' &&
        sandbox.startRecord.spec.rootfs.digest === digest,
    )
  }

  /** Ends the warm sandboxes of an image that no other sandbox uses. */
  release(digest: string): Promise<void> {
    return this.#warm.dropImage(digest)
  }

  /** True if the pool has, or will make, warm sandboxes of that image. */
  keepsWarm(digest: string): boolean {
    return this.#warm.keepsImage(digest)
  }

  /** Ends warm sandboxes and helpers. Running sandboxes continue under their shims. */
  async close(): Promise<void> {
    await this.#warm.close()
    await this.#options.spawner.close()
    await this.#options.marks.close()
  }

  async wait(id: string): Promise<SandboxExit> {
    const sandbox = this.find(id)
    const exit = await sandbox.exited.promise
    if (!exit) throw new SandboxUnknown(id)
    return exit
  }

  async stop(id: string): Promise<void> {
    const sandbox = this.find(id)
    // A starting shim answers soon: nothing blocks it.
    await sandbox.running.promise
    if (sandbox.phase === 'live') await requestStop(sandbox.folder)
  }

  async terminate(id: string): Promise<void> {
    const sandbox = this.find(id)
    await sandbox.running.promise
    if (sandbox.phase === 'live') await requestTermination(sandbox.folder)
  }

  async forbid(id: string): Promise<boolean> {
    const known = this.#known.get(id)
    if (known) {
      await known.running.promise.catch(() => undefined)
      return this.#known.get(id) === known ? false : this.forbid(id)
    }
    const mark = this.#options.marks.find(id)
    if (mark) return mark === 'forbidden'
    await this.#forbidden.forbid(id)
    return true
  }

  /** Throws `SandboxUnknown`. */
  find(id: string): Sandbox {
    const sandbox = this.#known.get(id)
    if (!sandbox) throw new SandboxUnknown(id)
    return sandbox
  }

  /** Removes all of the sandbox and marks its id as used. Refuses with `running` while the sandbox lives. */
  async remove(id: string): Promise<void> {
    const sandbox = this.#known.get(id)
    if (!sandbox) return
    if (sandbox.phase === 'live')
      throw new ExecutorRefused('running', `sandbox ${id} has not ended: stop it first`)
    await sandbox.cleanedUp
    // Callers cannot use internal ids, so these need no mark.
    if (!id.startsWith(internalPrefix)) await this.#options.marks.add('removed', [id])
    await this.#residue.removeFolder(sandbox.folder)
    this.#known.delete(id)
  }

  /** Takes a warm sandbox or makes one, with its start record. Its program does not run before the start signal. */
  async #create(
    spec: SandboxSpec,
    internal: InternalSandbox | undefined,
    { masked, known }: { masked: readonly Buffer[]; known: Buffer | undefined },
  ): Promise<[Sandbox, MadeSandbox]> {
    const { paths, marks, clock } = this.#options
    this.#occupancy.require(spec)
    requireStartable(spec, { marks, now: clock.now() })
    const warm = internal ? undefined : this.#warm.take(spec)
    const idBase = warm?.idBase ?? internal?.idBase ?? this.#maker.takeRange()
    const startRecord: StartRecord = { spec, idBase, name: warm?.name ?? spec.id }
    if (masked.length > 0) startRecord.hasMasked = true
    const sandbox = newSandbox(startRecord, join(paths.sandboxes, startRecord.name), false)
    if (spec.network !== 'none') sandbox.masked = masked
    this.#known.set(spec.id, sandbox)
    this.#occupancy.hold(spec)
    if (this.#freeSlots() < 0) this.#warm.evictOne()
    let made: MadeSandbox | undefined = warm
    try {
      made ??= await this.#maker.make(startRecord, internal)
      if (made.link) startRecord.link = made.link
      if (known && known.length > 0) writeKnownContents(sandbox.folder, known)
      if (made.reservedRecord) await fillStartRecord(made.reservedRecord, startRecord)
    } catch (error) {
      // The next agent removes what cannot be removed now; nothing of it was started.
      await this.#maker
        .destroy(made ?? { ...startRecord, folder: sandbox.folder })
        .catch(this.#options.onError)
      this.#occupancy.release(spec)
      // Concurrent starts of the same id get the same error.
      sandbox.running.reject(error)
      sandbox.exited.resolve(undefined)
      this.#known.delete(spec.id)
      throw error
    }
    this.#endings.follow(sandbox, made.shim)
    return [sandbox, made]
  }

  #freeSlots(): number {
    return this.#occupancy.freeSlots - this.#warm.size
  }
}
