import { existsSync, statfsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../base/clock.ts'
import { defaultFloorBytes } from '../../../base/disk-floor.ts'
import {
  type ExecutorCapacity,
  ExecutorRefused,
  endedUnbegun,
  noCapacity,
  type SandboxExit,
  type SandboxRuntime,
  type SandboxSpec,
  type SandboxSummary,
  SandboxUnknown,
  unbegun,
} from '../../port.ts'
import { atLeast } from '../runtimes.ts'
import { checkedSpec } from '../spec-check.ts'
import { neverBegan, writeRefusals } from './exit-record.ts'
import { sendInput } from './input-frames.ts'
import { askToStop, findKeeper, type Keeper } from './keeper.ts'
import { Leftovers } from './leftovers.ts'
import type { MadeSandbox, MakeOptions } from './made-sandbox.ts'
import { ForbiddenIds } from './marks/forbidden-ids.ts'
import type { Marks } from './marks/marks.ts'
import { requireStartable } from './marks/require-startable.ts'
import { withMaskedNames } from './masked-names.ts'
import { maskedValues } from './masked-values.ts'
import { MemoryBudget } from './memory-budget.ts'
import { exitOf, newSandbox, type Sandbox, stateOf } from './sandbox.ts'
import { SandboxMaker, warmPrefix } from './sandbox-maker.ts'
import type { Special } from './sandbox-plan.ts'
import { fillTicket, readTicket, type Ticket, writeTicket } from './ticket.ts'
import { WarmPool } from './warm-pool.ts'

export interface SandboxesOptions extends MakeOptions {
  clock: Clock
  marks: Marks
  /** What every job gets at least. */
  weakestRuntime: SandboxRuntime
  slots: number
  /** Sandboxes that are made before they are asked for, at most. */
  warm: number
  cpus: number
  /** What all sandboxes may have together. */
  memoryBytes: number
  /** Bytes of the disk that stay free; absent: by its size. */
  diskFloorBytes: number | undefined
  /** Told about failures that no caller waits for. */
  onError: (error: unknown) => void
  /** Told from time to time how many folders of former sandboxes have been looked at. */
  onProgress: (done: number, total: number) => void
}

/** Of what a start brings, what is never written down. */
interface SandboxInput {
  stdin: AsyncIterable<Buffer>
  masked?: readonly string[]
}

/** What one sandbox writes before its program starts, and its record, with room to spare. */
const freeBytesMin = 16 * 1024 * 1024

/** On a full disk nothing is started that would fail half way: whoever asks waits, as for a place. */
function isNearlyFull(folder: string, floorBytes: number | undefined): boolean {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return bavail * bsize < Math.max(floorBytes ?? defaultFloorBytes(blocks * bsize), freeBytesMin)
}

/** Its id is used up; whoever asked may have another sandbox. */
async function refuseUnbegun(sandbox: Sandbox): Promise<void> {
  const exit = await exitOf(sandbox)
  if (exit && endedUnbegun(exit)) throw new ExecutorRefused(unbegun, `it ended unbegun: ${exit.detail}`)
}

/** Ids of sandboxes that the agent starts for itself; they are not listed. */
export const internalPrefix = 'unpack_'

/** True for ids that nobody else may give a sandbox. */
export const isReserved = (id: string): boolean => id.startsWith(internalPrefix) || id.startsWith(warmPrefix)

const foldersPerReport = 500

/**
 * All sandboxes of this machine. Their folders are the truth: a ticket is written there, and synced, before the shim gets
 * the word that starts the program, so an id is started at most once even over a power cut. A folder without a ticket
 * never was a start, nor is one whose shim tells that no word came. The map holds those folders in memory, with the shim of
 * each that lives. An id that has no folder, or none any more, may have a mark that keeps it from being started; a folder
 * with a ticket counts before a mark, whose writing may have failed half way.
 */
export class Sandboxes {
  readonly #options: SandboxesOptions
  readonly #known = new Map<string, Sandbox>()
  readonly #forbidden: ForbiddenIds
  readonly #warm: WarmPool
  readonly #leftovers: Leftovers
  readonly #maker: SandboxMaker
  readonly #memory: MemoryBudget
  #live = 0

  constructor(options: SandboxesOptions) {
    this.#options = options
    this.#forbidden = new ForbiddenIds(options.marks)
    this.#leftovers = new Leftovers(options)
    this.#memory = new MemoryBudget(options.memoryBytes)
    this.#maker = new SandboxMaker(options, this.#leftovers)
    this.#warm = new WarmPool({
      limit: options.warm,
      freePlaces: () => this.#freePlaces(),
      make: (spec) => this.#maker.makeWarm(spec),
      clearAway: (made) => this.#maker.clearAway(made),
      clock: options.clock,
      onError: options.onError,
    })
  }

  /** Finds what an earlier agent left: adopts what lives, settles what died. Call once, first. */
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
    await Promise.all(abandoned.map((name) => this.#clearAbandoned(name)))
    marks.adoptFormer()
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

  /** Ends and forgets the sandboxes that an earlier agent had for itself. */
  async removeInternal(): Promise<void> {
    for (const id of [...this.#known.keys()].filter((id) => id.startsWith(internalPrefix))) {
      await this.stop(id)
      await this.wait(id)
      await this.remove(id)
    }
  }

  /**
   * Resolves when the program runs or has ended; `inputTaken` when its input has been read to its end. A second start of
   * an id takes no input.
   */
  async start(
    value: unknown,
    input: SandboxInput,
    special?: Special,
  ): Promise<{ inputTaken: Promise<void> }> {
    // What the agent starts for itself needs capabilities, and no other runtime than crun.
    const checked = checkedSpec(value)
    const spec = special ? checked : atLeast(this.#options.weakestRuntime, checked)
    const decided = this.#forbidden.pending(spec.id)
    if (decided) {
      await decided.catch(() => undefined)
      return this.start(value, input, special)
    }
    const known = this.#known.get(spec.id)
    if (known) {
      await known.running.promise
      // Forgotten meanwhile: an earlier agent had not given its word.
      if (this.#known.get(spec.id) !== known) return this.start(value, input, special)
      await refuseUnbegun(known)
      return { inputTaken: Promise.resolve() }
    }
    const masked = maskedValues(input.masked ?? [])
    const [sandbox, made] = await this.#create(spec, special, masked)
    const inputTaken = sendInput(input.stdin, made.input, {
      timeoutMs: spec.limits.timeoutMs,
      masked,
      onGiven: () => {
        sandbox.wordGiven = true
      },
    })
    await sandbox.running.promise
    // Whoever asked has the input, and may ask again.
    if (this.#known.get(spec.id) !== sandbox) throw new Error('a sandbox died before its program could start')
    await refuseUnbegun(sandbox)
    return { inputTaken }
  }

  /** True while a living sandbox has that image under its root. */
  uses(digest: string): boolean {
    return [...this.#known.values()].some(
      (sandbox) =>
        sandbox.phase !== 'gone' &&
        sandbox.ticket.spec.rootfs.kind === 'image' &&
        sandbox.ticket.spec.rootfs.digest === digest,
    )
  }

  /** Lets go of an image that nobody uses: its warm sandboxes end. */
  release(digest: string): Promise<void> {
    return this.#warm.dropImage(digest)
  }

  /** True when sandboxes with that image are, or will be, made before they are asked for. */
  keepsWarm(digest: string): boolean {
    return this.#warm.keeps(digest)
  }

  /** Ends what is not in use. What runs is left to its shim. */
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
    // A shim that starts answers soon: it has nothing to wait for.
    await sandbox.running.promise
    if (sandbox.phase === 'live') await askToStop(sandbox.folder)
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

  /** Forgets everything but that the id was used. Refuses while the sandbox lives. */
  async remove(id: string): Promise<void> {
    const sandbox = this.#known.get(id)
    if (!sandbox) return
    if (sandbox.phase === 'live')
      throw new ExecutorRefused('running', `sandbox ${id} has not ended: stop it first`)
    await sandbox.cleared
    // Nobody can ask for an id of the agent's own again.
    if (!id.startsWith(internalPrefix)) await this.#options.marks.add('removed', [id])
    await this.#leftovers.removeFolder(sandbox.folder)
    this.#known.delete(id)
  }

  /** Writes the sandbox down, durably, and has it made unless there is a warm one. Nothing of it runs before the word. */
  async #create(
    spec: SandboxSpec,
    special: Special | undefined,
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
    const warm = special ? undefined : this.#warm.take(spec)
    const idBase = warm?.idBase ?? special?.idBase ?? this.#maker.takeRange()
    const ticket: Ticket = { spec, idBase, name: warm?.name ?? spec.id }
    if (masked.length > 0) ticket.hasMasked = true
    const sandbox = newSandbox(ticket, join(paths.sandboxes, ticket.name), false)
    if (spec.network !== 'none') sandbox.masked = masked
    this.#known.set(spec.id, sandbox)
    this.#hold(spec)
    if (this.#freePlaces() < 0) this.#warm.yieldOne()
    let made: MadeSandbox | undefined = warm
    try {
      made ??= await this.#maker.make(ticket, special)
      if (made.link) ticket.link = made.link
      if (made.ticketRoom) await fillTicket(made.ticketRoom, ticket)
      else await writeTicket(sandbox.folder, ticket)
    } catch (error) {
      // What cannot be removed now is found by the next agent, and nothing of it was started.
      await this.#maker.clearAway(made ?? { ...ticket, folder: sandbox.folder }).catch(this.#options.onError)
      this.#release(spec)
      // Whoever asked for the same start meanwhile gets the same answer.
      sandbox.running.reject(error)
      sandbox.exited.resolve(undefined)
      this.#known.delete(spec.id)
      throw error
    }
    this.#watch(sandbox, made.keeper)
    return [sandbox, made]
  }

  #freePlaces(): number {
    return this.#options.slots - this.#live - this.#warm.size
  }

  /** A place and its memory, until `#release`. */
  #hold({ limits }: SandboxSpec): void {
    this.#live += 1
    this.#memory.hold(limits.memoryBytes)
  }

  #release({ limits }: SandboxSpec): void {
    this.#live -= 1
    this.#memory.release(limits.memoryBytes)
  }

  /** Keeps the account of a living shim: its record when it ends, its range when it is gone. */
  #watch(sandbox: Sandbox, keeper: Keeper): void {
    sandbox.keeper = keeper
    const settle = async () => {
      await keeper.running
      if (keeper.isRunning()) sandbox.running.resolve()
      await keeper.ended
      await this.#noteRefusals(sandbox).catch(this.#options.onError)
      const exit = await this.#leftovers.record(sandbox.ticket, sandbox.folder)
      const diedUnasked = exit?.cause === 'lost' && !sandbox.wordGiven
      if (exit && (neverBegan(exit) || diedUnasked)) return this.#forget(sandbox, keeper)
      sandbox.phase = 'recorded'
      sandbox.running.resolve()
      sandbox.exited.resolve(exit)
      await keeper.gone
      sandbox.phase = 'gone'
      this.#release(sandbox.ticket.spec)
      this.#maker.letGo(sandbox.ticket)
      this.#warm.fillSoon()
      await this.#leftovers.sweep({ ...sandbox.ticket, folder: sandbox.folder })
    }
    sandbox.cleared = settle()
  }

  /** It ended, or the agent that wrote its ticket died, before any word was given: there was no start, and the id may have one. */
  async #forget(sandbox: Sandbox, keeper: Keeper): Promise<void> {
    await this.#maker.clearAway({ ...sandbox.ticket, folder: sandbox.folder, keeper })
    this.#release(sandbox.ticket.spec)
    this.#known.delete(sandbox.ticket.spec.id)
    sandbox.running.resolve()
    sandbox.exited.resolve(undefined)
  }

  /** Before its record is read, which tells of them. */
  async #noteRefusals(sandbox: Sandbox): Promise<void> {
    const { link, hasMasked } = sandbox.ticket
    const refusals = link && (await this.#options.network.takeRefusals(link))
    const values = hasMasked ? sandbox.masked : []
    sandbox.masked = undefined
    if (refusals) await writeRefusals(sandbox.folder, await withMaskedNames(refusals, values))
  }

  /** False for what never got its word. */
  async #adopt(name: string): Promise<boolean> {
    const folder = join(this.#options.paths.sandboxes, name)
    const ticket = await readTicket(folder)
    if (!ticket) return false
    const keeper = await findKeeper(folder)
    const sandbox = newSandbox(ticket, folder, true)
    if (keeper) {
      this.#known.set(ticket.spec.id, sandbox)
      this.#hold(ticket.spec)
      this.#maker.adopt(ticket)
      this.#watch(sandbox, keeper)
      return true
    }
    const exit = await this.#leftovers.record(sandbox.ticket, sandbox.folder)
    if (exit && neverBegan(exit)) return false
    this.#known.set(ticket.spec.id, sandbox)
    await this.#leftovers.sweep({ name, folder })
    sandbox.phase = 'gone'
    sandbox.running.resolve()
    sandbox.exited.resolve(exit)
    return true
  }

  /** Former agents kept a folder for each forbidden id. */
  async #adoptForbidden(ids: readonly string[]): Promise<void> {
    const { marks, paths, onProgress } = this.#options
    for (let at = 0; at < ids.length; at += foldersPerReport) {
      const part = ids.slice(at, at + foldersPerReport)
      await marks.add('forbidden', part)
      for (const id of part) await this.#leftovers.removeFolder(join(paths.sandboxes, id))
      onProgress(at, ids.length)
    }
  }

  /** Its shim ends for want of the agent that started it. */
  async #clearAbandoned(name: string): Promise<void> {
    const folder = join(this.#options.paths.sandboxes, name)
    const keeper = await findKeeper(folder)
    await keeper?.gone
    await this.#leftovers.clear({ name, folder })
  }
}
