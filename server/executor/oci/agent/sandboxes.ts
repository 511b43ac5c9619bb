import { mkdirSync, writeFileSync } from 'node:fs'
import { access, mkdir, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Clock } from '../../../base/clock.ts'
import {
  type ExecutorCapacity,
  ExecutorRefused,
  noCapacity,
  type SandboxExit,
  type SandboxRuntime,
  type SandboxSpec,
  type SandboxSummary,
  SandboxUnknown,
} from '../../port.ts'
import { planCgroups } from '../cgroups.ts'
import { IdRanges } from '../id-ranges.ts'
import type { Network } from '../network/network.ts'
import { planText } from '../plan.ts'
import { atLeast, withReachableNetwork } from '../runtimes.ts'
import { ociSpec } from '../spec.ts'
import { checkedSpec } from '../spec-check.ts'
import { readLog } from './bounded-log.ts'
import { readExit, syncPath, writeLostRecord } from './exit-record.ts'
import { sendInput } from './input-frames.ts'
import { askToStop, findKeeper, type Keeper, startKeeper } from './keeper.ts'
import { type PlanOptions, planSandbox, runtimeRoot, type Special, type Ticket } from './sandbox-plan.ts'
import { killAndRemoveCgroups } from './settle.ts'
import { makeDisk } from './workspace-disk.ts'

export interface SandboxesOptions extends PlanOptions {
  clock: Clock
  shim: string
  network: Network
  /** What every job gets at least. */
  weakestRuntime: SandboxRuntime
  slots: number
  cpus: number
  memoryBytes: number
}

interface Sandbox {
  readonly ticket: Ticket
  readonly folder: string
  /** `recorded`: the exit record is there, the shim cleans up. `gone`: so is the shim, and the range is free. */
  phase: 'live' | 'recorded' | 'gone'
  /** The shim, once there is one. */
  keeper: Keeper | undefined
  /** Resolves when nothing of it is left but its folder. */
  cleared: Promise<void>
  /** Resolves when the program runs, or there is an exit record. */
  readonly running: PromiseWithResolvers<void>
  /** Resolves when there is an exit record. */
  readonly exited: PromiseWithResolvers<void>
}

function newSandbox(ticket: Ticket, folder: string): Sandbox {
  const running = Promise.withResolvers<void>()
  // Its failure is told to whoever asked for the start; nobody else may be waiting.
  running.promise.catch(() => undefined)
  return {
    ticket,
    folder,
    phase: 'live',
    keeper: undefined,
    cleared: Promise.resolve(),
    running,
    exited: Promise.withResolvers<void>(),
  }
}

const removedKeptMs = 30 * 86_400_000

/** Ids of sandboxes that the agent starts for itself; they are not listed. */
export const internalPrefix = 'unpack_'

/**
 * All sandboxes of this machine. Their folders are the truth: a folder is made, and synced, before a shim is
 * started, so an id is started at most once even over a power cut. The map holds those folders in memory, with
 * the shim of each that lives.
 */
export class Sandboxes {
  readonly #options: SandboxesOptions
  readonly #ranges = new IdRanges()
  readonly #known = new Map<string, Sandbox | 'forbidden'>()
  #live = 0

  constructor(options: SandboxesOptions) {
    this.#options = options
  }

  /** Finds what an earlier agent left: adopts what lives, settles what died. Call once, first. */
  async recover(): Promise<void> {
    const { paths } = this.#options
    for (const folder of [paths.sandboxes, paths.removed]) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
    }
    for (const id of await readdir(paths.sandboxes)) await this.#adopt(id)
    await this.#pruneRemoved()
  }

  /** An id is not asked for again so long after its end; the marks would only grow. */
  async #pruneRemoved(): Promise<void> {
    const { paths, clock } = this.#options
    const limit = clock.now().getTime() - removedKeptMs
    for (const id of await readdir(paths.removed)) {
      const mark = join(paths.removed, id)
      if ((await stat(mark)).mtimeMs < limit) await rm(mark, { force: true })
    }
  }

  capacity(): ExecutorCapacity {
    const { cpus, memoryBytes, slots } = this.#options
    return { cpus, memoryBytes, slots, running: this.#live }
  }

  list(): SandboxSummary[] {
    return [...this.#known]
      .filter(([id]) => !id.startsWith(internalPrefix))
      .map(([id, sandbox]) => ({ id, state: stateOf(sandbox) }))
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
    input: AsyncIterable<Buffer>,
    special?: Special,
  ): Promise<{ inputTaken: Promise<void> }> {
    // What the agent starts for itself needs capabilities, and no other runtime than crun.
    const spec = special
      ? checkedSpec(value)
      : withReachableNetwork(atLeast(this.#options.weakestRuntime, checkedSpec(value)))
    const known = this.#known.get(spec.id)
    if (known === 'forbidden') throw new ExecutorRefused('forbidden', `sandbox ${spec.id} may not start`)
    if (known) {
      await known.running.promise
      return { inputTaken: Promise.resolve() }
    }
    const sandbox = await this.#create(spec, special)
    const { keeper, input: shimInput } = startKeeper(this.#options.shim, sandbox.folder)
    this.#watch(sandbox, keeper)
    try {
      await this.#makeDurable(sandbox)
    } catch (error) {
      shimInput.destroy()
      throw error
    }
    const inputTaken = sendInput(input, shimInput, spec.limits.timeoutMs)
    await sandbox.running.promise
    return { inputTaken }
  }

  /** True while a living sandbox has that image under its root. */
  uses(digest: string): boolean {
    return [...this.#known.values()].some(
      (sandbox) =>
        sandbox !== 'forbidden' &&
        sandbox.phase !== 'gone' &&
        sandbox.ticket.spec.rootfs.kind === 'image' &&
        sandbox.ticket.spec.rootfs.digest === digest,
    )
  }

  async wait(id: string): Promise<SandboxExit> {
    const sandbox = this.#find(id)
    await sandbox.exited.promise
    const exit = await readExit(sandbox.folder, sandbox.ticket.spec)
    if (!exit) throw new SandboxUnknown(id)
    return exit
  }

  async stop(id: string): Promise<void> {
    const sandbox = this.#find(id)
    // A shim that starts answers soon: it has nothing to wait for.
    await sandbox.running.promise
    if (sandbox.phase === 'live') await askToStop(sandbox.folder)
  }

  async forbid(id: string): Promise<boolean> {
    if (this.#known.has(id)) return this.#known.get(id) === 'forbidden'
    if (await exists(join(this.#options.paths.removed, id))) return false
    this.#known.set(id, 'forbidden')
    const folder = join(this.#options.paths.sandboxes, id)
    await mkdir(folder, { mode: 0o700 })
    await writeFile(join(folder, 'forbidden'), '', { mode: 0o600 })
    await syncPath(this.#options.paths.sandboxes)
    return true
  }

  log(id: string): Readable {
    const sandbox = this.#find(id)
    return readLog(sandbox.folder, sandbox.ticket.spec.limits.logBytes)
  }

  /** A collected file by name; throws `SandboxUnknown` unless the record says it is present. */
  async file(id: string, name: string): Promise<Readable> {
    const sandbox = this.#find(id)
    const exit = await readExit(sandbox.folder, sandbox.ticket.spec)
    const at = sandbox.ticket.spec.collect.files.findIndex((file) => file.name === name)
    if (at < 0 || exit?.files[name]?.status !== 'present') throw new SandboxUnknown(`${id}/${name}`)
    return (await open(join(sandbox.folder, `result.${at}`), 'r')).createReadStream()
  }

  async tree(id: string): Promise<Readable> {
    const sandbox = this.#find(id)
    const exit = await readExit(sandbox.folder, sandbox.ticket.spec)
    if (exit?.tree?.status === 'absent') return Readable.from([])
    if (exit?.tree?.status !== 'collected') throw new SandboxUnknown(`${id}/tree`)
    return (await open(join(sandbox.folder, 'tree.data'), 'r')).createReadStream()
  }

  /** Forgets everything but that the id was used. Refuses while the sandbox lives. */
  async remove(id: string): Promise<void> {
    const sandbox = this.#known.get(id)
    if (!sandbox || sandbox === 'forbidden') return
    if (sandbox.phase === 'live')
      throw new ExecutorRefused('running', `sandbox ${id} has not ended: stop it first`)
    await sandbox.cleared
    const { paths } = this.#options
    await writeFile(join(paths.removed, id), '', { mode: 0o600 })
    this.#known.delete(id)
    // Nobody but the agent can write here, and removal does not follow links.
    await rm(sandbox.folder, { recursive: true, force: true })
  }

  #find(id: string): Sandbox {
    const sandbox = this.#known.get(id)
    if (!sandbox || sandbox === 'forbidden') throw new SandboxUnknown(id)
    return sandbox
  }

  async #create(spec: SandboxSpec, special: Special | undefined): Promise<Sandbox> {
    const { paths, slots, network } = this.#options
    if (this.#live >= slots) {
      throw new ExecutorRefused(noCapacity, `all ${slots} sandboxes of this machine are in use`)
    }
    const folder = join(paths.sandboxes, spec.id)
    const idBase = special?.idBase ?? this.#ranges.take()
    if (idBase === undefined) throw new ExecutorRefused(noCapacity, 'no id range is free')
    const sandbox = newSandbox({ spec, idBase }, folder)
    this.#known.set(spec.id, sandbox)
    this.#live += 1
    try {
      if (await exists(join(paths.removed, spec.id))) {
        throw new ExecutorRefused('removed', `sandbox ${spec.id} ended earlier and was removed`)
      }
      if (spec.network !== 'none') sandbox.ticket.link = await network.take()
      await this.#write(sandbox, special)
    } catch (error) {
      this.#live -= 1
      this.#ranges.free(idBase)
      if (sandbox.ticket.link) network.release(sandbox.ticket.link)
      await rm(folder, { recursive: true, force: true })
      // Whoever asked for the same start meanwhile gets the same answer.
      sandbox.running.reject(error)
      sandbox.exited.resolve()
      this.#known.delete(spec.id)
      throw error
    }
    return sandbox
  }

  async #write({ ticket, folder }: Sandbox, special: Special | undefined): Promise<void> {
    const { spec, idBase } = ticket
    const plan = await planSandbox(this.#options, ticket, folder, special)
    mkdirSync(folder, { mode: 0o700 })
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 })
    const confinement = special?.confinement ?? spec.confinement
    write('config.json', JSON.stringify(ociSpec(spec, { idBase, arch: process.arch, confinement })))
    write('plan', planText(plan))
    if (plan.workspace.kind === 'disk') await makeDisk(plan.workspace.path, spec, idBase)
    write('ticket.json', JSON.stringify(ticket))
  }

  /**
   * The ticket says that the program may have been started, so it must be there after a power cut. The shim makes the
   * sandbox meanwhile; its program starts when it gets the agent's word.
   */
  async #makeDurable({ folder }: Sandbox): Promise<void> {
    await syncPath(join(folder, 'ticket.json'))
    await syncPath(this.#options.paths.sandboxes)
  }

  /** Keeps the account of a living shim: its record when it ends, its range when it is gone. */
  #watch(sandbox: Sandbox, keeper: Keeper): void {
    sandbox.keeper = keeper
    const settle = async () => {
      await keeper.running
      if (keeper.isRunning()) sandbox.running.resolve()
      await keeper.ended
      if (!(await readExit(sandbox.folder, sandbox.ticket.spec))) await this.#settleLost(sandbox)
      sandbox.phase = 'recorded'
      sandbox.running.resolve()
      sandbox.exited.resolve()
      await keeper.gone
      sandbox.phase = 'gone'
      this.#live -= 1
      this.#ranges.free(sandbox.ticket.idBase)
      if (sandbox.ticket.link) this.#options.network.release(sandbox.ticket.link)
      await this.#sweep(sandbox)
    }
    sandbox.cleared = settle()
  }

  async #settleLost(sandbox: Sandbox): Promise<void> {
    await this.#endGroups(sandbox)
    await writeLostRecord(sandbox.folder, this.#options.clock.now())
  }

  async #endGroups({ ticket: { spec } }: Sandbox): Promise<void> {
    const { cgroups, cgroupParent } = this.#options
    await killAndRemoveCgroups(planCgroups(cgroups, cgroupParent, spec.id, spec.limits), spec.id)
  }

  /**
   * What nobody needs once the shim is gone: the disk, the state of a runtime that was killed, and the control groups of
   * a shim that was killed after its record.
   */
  async #sweep(sandbox: Sandbox): Promise<void> {
    const { folder } = sandbox
    await this.#endGroups(sandbox)
    await rm(join(folder, 'disk.img'), { force: true })
    await rm(runtimeRoot(folder), { recursive: true, force: true })
  }

  async #adopt(id: string): Promise<void> {
    const folder = join(this.#options.paths.sandboxes, id)
    if (await exists(join(folder, 'forbidden'))) {
      this.#known.set(id, 'forbidden')
      return
    }
    const ticket = await readTicket(folder)
    if (!ticket) {
      // Its start had not come as far as a shim, and was never answered.
      await rm(folder, { recursive: true, force: true })
      return
    }
    const sandbox = newSandbox(ticket, folder)
    this.#known.set(id, sandbox)
    const keeper = await findKeeper(folder)
    if (keeper) {
      this.#live += 1
      this.#ranges.adopt(ticket.idBase)
      if (ticket.link) this.#options.network.adopt()
      this.#watch(sandbox, keeper)
      return
    }
    if (!(await readExit(folder, ticket.spec))) await this.#settleLost(sandbox)
    await this.#sweep(sandbox)
    sandbox.phase = 'gone'
    sandbox.running.resolve()
    sandbox.exited.resolve()
  }
}

function stateOf(sandbox: Sandbox | 'forbidden'): SandboxSummary['state'] {
  if (sandbox === 'forbidden') return 'forbidden'
  if (sandbox.phase !== 'live') return 'exited'
  return sandbox.keeper?.isRunning() ? 'running' : 'starting'
}

async function readTicket(folder: string): Promise<Ticket | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, 'ticket.json'), 'utf8')) as Ticket
  } catch {
    return undefined
  }
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
