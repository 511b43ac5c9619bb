import { existsSync, statfsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../../base/clock.ts'
import { defaultFloorBytes } from '../../../../base/disk-floor.ts'
import { ExecutorRefused, SandboxUnknown } from '../../../port/errors.ts'
import type { ExecutorCapacity } from '../../../port/host.ts'
import { neverStarted, noCapacity } from '../../../port/refusal-causes.ts'
import { programNeverStarted, type SandboxExit } from '../../../port/sandbox-exit.ts'
import type { SandboxRuntime, SandboxSpec } from '../../../port/sandbox-spec.ts'
import type { SandboxSummary } from '../../../port/sandboxes.ts'
import { atLeast } from '../../bundle/runtimes.ts'
import { MemoryBudget } from '../capacity/memory-budget.ts'
import { Residue } from '../cleanup/residue.ts'
import type { MadeSandbox, MakeOptions } from '../make/made-sandbox.ts'
import { SandboxMaker, warmPrefix } from '../make/sandbox-maker.ts'
import type { InternalSandbox } from '../make/sandbox-plan.ts'
import { WarmPool } from '../make/warm-pool.ts'
import { ForbiddenIds } from '../marks/forbidden-ids.ts'
import type { Marks } from '../marks/marks.ts'
import { requireStartable } from '../marks/require-startable.ts'
import { neverReleased, writeRefusals } from '../records/exit-record.ts'
import { withMaskedNames } from '../records/masked-names.ts'
import {
  fillStartRecord,
  readStartRecord,
  type StartRecord,
  writeStartRecord,
} from '../records/start-record.ts'
import { sendInput } from '../shim/input-frames.ts'
import { maskedValues } from '../shim/masked-values.ts'
import { findShim, requestStop, type Shim } from '../shim/shim.ts'
import { checkedSpec } from '../spec-check.ts'
import { exitOf, newSandbox, type Sandbox, stateOf } from './sandbox.ts'

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

/** The part of a start request that is never written to disk. */
interface SandboxInput {
  stdin: AsyncIterable<Buffer>
  masked?: readonly string[]
}

/** More than one sandbox writes before its program starts, plus its record. */
const freeBytesMin = 16 * 1024 * 1024

/** On a full disk a start would fail halfway, so it is refused like a start without a free slot. */
function isNearlyFull(folder: string, floorBytes: number | undefined): boolean {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return bavail * bsize < Math.max(floorBytes ?? defaultFloorBytes(blocks * bsize), freeBytesMin)
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

const foldersPerReport = 500

/**
 * All sandboxes of this machine. Their folders are the source of truth: the start record is written there and synced before
 * the shim gets the start signal, so an id is started at most once, even across a power cut. A folder without a start record
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
  readonly #memory: MemoryBudget
  #live = 0

  constructor(options: SandboxesOptions) {
    this.#options = options
    this.#forbidden = new ForbiddenIds(options.marks)
    this.#residue = new Residue(options)
    this.#memory = new MemoryBudget(options.memoryBytes)
    this.#maker = new SandboxMaker(options, this.#residue)
    this.#warm = new WarmPool({
      limit: options.warm,
      freeSlots: () => this.#freeSlots(),
      make: (spec) => this.#maker.makeWarm(spec),
      destroy: (made) => this.#maker.destroy(made),
      clock: options.clock,
      onError: options.onError,
    })
  }

  /** Takes over the sandboxes of an earlier agent: adopts live ones, records and cleans up dead ones. Call once, first. */
  async recover(): Promise<void> {
    const { paths, marks, onProgress } = this.#options
    await mkdir(paths.sandboxes, { recursive: true, mode: 0o700 })
    const abandoned: string[] = []
    const forbidden: string[] = []
    const names = await readdir(paths.sandboxes)
    for (const [at, name] of names.entries()) {
      if (at > 0 && at % foldersPerReport === 0) onProgress(at, names.length)
      if (existsSync(join(paths.sandboxes, name, 'forbidden'))) forbidden.push(name)
      else if (!(await this.#adopt(name))) abandoned.push(name)
    }
    await this.#adoptForbidden(forbidden)
    await Promise.all(abandoned.map((name) => this.#destroyAbandoned(name)))
    marks.adoptLegacy()
  }

  capacity(): ExecutorCapacity {
    const { cpus, memoryBytes, slots } = this.#options
    return { cpus, memoryBytes, slots, running: this.#live }
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
      await this.stop(id)
      await this.wait(id)
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
    // Internal sandboxes need capabilities and always run on crun.
    const checked = checkedSpec(value)
    const spec = internal ? checked : atLeast(this.#options.weakestRuntime, checked)
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
    const [sandbox, made] = await this.#create(spec, internal, masked)
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

  /** Takes a warm sandbox or makes one, and writes its start record durably. Its program does not run before the start signal. */
  async #create(
    spec: SandboxSpec,
    internal: InternalSandbox | undefined,
    masked: readonly Buffer[],
  ): Promise<[Sandbox, MadeSandbox]> {
    const { paths, slots, diskFloorBytes, marks, clock } = this.#options
    if (this.#live >= slots) {
      throw new ExecutorRefused(noCapacity, `all ${slots} sandboxes of this machine are in use`)
    }
    this.#memory.require(spec.limits.memoryBytes)
    if (isNearlyFull(paths.sandboxes, diskFloorBytes)) {
      throw new ExecutorRefused(noCapacity, 'the disk that the sandboxes are kept on is full')
    }
    requireStartable(spec, { marks, now: clock.now() })
    const warm = internal ? undefined : this.#warm.take(spec)
    const idBase = warm?.idBase ?? internal?.idBase ?? this.#maker.takeRange()
    const startRecord: StartRecord = { spec, idBase, name: warm?.name ?? spec.id }
    if (masked.length > 0) startRecord.hasMasked = true
    const sandbox = newSandbox(startRecord, join(paths.sandboxes, startRecord.name), false)
    if (spec.network !== 'none') sandbox.masked = masked
    this.#known.set(spec.id, sandbox)
    this.#hold(spec)
    if (this.#freeSlots() < 0) this.#warm.evictOne()
    let made: MadeSandbox | undefined = warm
    try {
      made ??= await this.#maker.make(startRecord, internal)
      if (made.link) startRecord.link = made.link
      if (made.reservedRecord) await fillStartRecord(made.reservedRecord, startRecord)
      else await writeStartRecord(sandbox.folder, startRecord)
    } catch (error) {
      // The next agent removes what cannot be removed now; nothing of it was started.
      await this.#maker
        .destroy(made ?? { ...startRecord, folder: sandbox.folder })
        .catch(this.#options.onError)
      this.#release(spec)
      // Concurrent starts of the same id get the same error.
      sandbox.running.reject(error)
      sandbox.exited.resolve(undefined)
      this.#known.delete(spec.id)
      throw error
    }
    this.#watch(sandbox, made.shim)
    return [sandbox, made]
  }

  #freeSlots(): number {
    return this.#options.slots - this.#live - this.#warm.size
  }

  /** Takes a slot and memory until `#release`. */
  #hold({ limits }: SandboxSpec): void {
    this.#live += 1
    this.#memory.hold(limits.memoryBytes)
  }

  #release({ limits }: SandboxSpec): void {
    this.#live -= 1
    this.#memory.release(limits.memoryBytes)
  }

  /** Follows a live shim: reads the exit record when it ends, and releases the id range when it is gone. */
  #watch(sandbox: Sandbox, shim: Shim): void {
    sandbox.shim = shim
    const settle = async () => {
      await shim.running
      if (shim.isRunning()) sandbox.running.resolve()
      await shim.ended
      await this.#writeRefusals(sandbox).catch(this.#options.onError)
      const exit = await this.#residue.record(sandbox.startRecord, sandbox.folder)
      const diedBeforeRelease = exit?.cause === 'lost' && !sandbox.released
      if (exit && (neverReleased(exit) || diedBeforeRelease)) return this.#forget(sandbox, shim)
      sandbox.phase = 'recorded'
      sandbox.running.resolve()
      sandbox.exited.resolve(exit)
      await shim.gone
      sandbox.phase = 'gone'
      this.#release(sandbox.startRecord.spec)
      this.#maker.release(sandbox.startRecord)
      this.#warm.scheduleFill()
      await this.#residue.sweep({ ...sandbox.startRecord, folder: sandbox.folder })
    }
    sandbox.cleanedUp = settle()
  }

  /** Destroys a sandbox that ended before the start signal, or whose agent died before it: there was no start, so the id stays startable. */
  async #forget(sandbox: Sandbox, shim: Shim): Promise<void> {
    await this.#maker.destroy({ ...sandbox.startRecord, folder: sandbox.folder, shim })
    this.#release(sandbox.startRecord.spec)
    this.#known.delete(sandbox.startRecord.spec.id)
    sandbox.running.resolve()
    sandbox.exited.resolve(undefined)
  }

  /** Must run before the exit record is read, because the record includes the refusals. */
  async #writeRefusals(sandbox: Sandbox): Promise<void> {
    const { link, hasMasked } = sandbox.startRecord
    const refusals = link && (await this.#options.network.takeRefusals(link))
    const values = hasMasked ? sandbox.masked : []
    sandbox.masked = undefined
    if (refusals) await writeRefusals(sandbox.folder, await withMaskedNames(refusals, values))
  }

  /** False if the sandbox in that folder never got the start signal. */
  async #adopt(name: string): Promise<boolean> {
    const folder = join(this.#options.paths.sandboxes, name)
    const startRecord = await readStartRecord(folder)
    if (!startRecord) return false
    const shim = await findShim(folder)
    const sandbox = newSandbox(startRecord, folder, true)
    if (shim) {
      this.#known.set(startRecord.spec.id, sandbox)
      this.#hold(startRecord.spec)
      this.#maker.adopt(startRecord)
      this.#watch(sandbox, shim)
      return true
    }
    const exit = await this.#residue.record(sandbox.startRecord, sandbox.folder)
    if (exit && neverReleased(exit)) return false
    this.#known.set(startRecord.spec.id, sandbox)
    await this.#residue.sweep({ name, folder })
    sandbox.phase = 'gone'
    sandbox.running.resolve()
    sandbox.exited.resolve(exit)
    return true
  }

  /** Converts the folders that older agents kept for forbidden ids into marks. */
  async #adoptForbidden(ids: readonly string[]): Promise<void> {
    const { marks, paths, onProgress } = this.#options
    for (let at = 0; at < ids.length; at += foldersPerReport) {
      const part = ids.slice(at, at + foldersPerReport)
      await marks.add('forbidden', part)
      for (const id of part) await this.#residue.removeFolder(join(paths.sandboxes, id))
      onProgress(at, ids.length)
    }
  }

  /** The shim of such a sandbox exits because the agent that started it is gone. */
  async #destroyAbandoned(name: string): Promise<void> {
    const folder = join(this.#options.paths.sandboxes, name)
    const shim = await findShim(folder)
    await shim?.gone
    await this.#residue.clear({ name, folder })
  }
}
