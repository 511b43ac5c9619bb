import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ForbiddenIds } from '../../agent/core/marks/forbidden-ids.ts'
import type { OpenFile, OpenMarkFile } from '../../agent/core/marks/mark-file.ts'
import { Marks } from '../../agent/core/marks/marks.ts'
import { requireStartable } from '../../agent/core/marks/require-startable.ts'
import { ExecutorUnavailable } from '../../agent/port/errors.ts'
import type { HostDisk, HostMarks, Mark } from './host-marks.ts'
import type { Rules } from './rules.ts'
import { agentTime, type Timeline } from './timeline.ts'

/** Minimal, so that each file is dropped as early as possible. */
const mostMarks = 1
const backgroundEveryMs = 60_000
/** Used if it exists. Syncs are modelled, so no disk is needed. */
const memoryFolder = '/dev/shm'

/** Written bytes that a power cut would lose. */
interface Unsynced {
  path: string
  position: number
  length: number
}

interface Agent {
  marks: Marks
  forbidden: ForbiddenIds
}

/**
 * The agent's production code for marks, in a temporary folder: it writes, reads and drops mark files and decides whether an
 * id may start. Any write may fail partly, and any sync may fail. In half of the restarts the machine loses power, and
 * unsynced bytes are lost. A day passes in minutes of the world (`agentTime`), each with a mark of another id, so that
 * files are created and dropped.
 */
export class AgentMarks implements HostMarks {
  readonly #rules: Rules
  readonly #timeline: Timeline
  readonly #disk: HostDisk
  readonly #folder: string
  #agent: Promise<Agent> | undefined
  #latest: Agent | undefined
  #unsynced: Unsynced[] = []
  #others = 0
  /** For the planted bug that remembers a mark before it is written. */
  readonly #remembered = new Set<string>()

  constructor(rules: Rules, timeline: Timeline, disk: HostDisk) {
    this.#rules = rules
    this.#timeline = timeline
    this.#disk = disk
    this.#folder = mkdtempSync(join(existsSync(memoryFolder) ? memoryFolder : tmpdir(), 'simulated-marks-'))
    this.#planOthers()
  }

  async find(id: string): Promise<Mark | undefined> {
    const { marks } = await this.#open()
    return marks.find(id) ?? (this.#remembered.has(id) ? 'forbidden' : undefined)
  }

  async requireStartable(id: string, claimedAt: string | undefined): Promise<void> {
    const { marks } = await this.#open()
    const claim = this.#rules.refusesLateStarts && claimedAt !== undefined ? { claimedAt } : {}
    requireStartable({ id, ...claim }, { marks, now: agentTime(this.#timeline.nowMs) })
  }

  async forbid(id: string): Promise<void> {
    const { forbidden } = await this.#open()
    if (this.#rules.remembersFirst) this.#remembered.add(id)
    await forbidden.forbid(id).catch(diskError)
  }

  async recordRemoved(id: string): Promise<void> {
    const { marks } = await this.#open()
    await marks.add('removed', [id]).catch(diskError)
  }

  forbidden(): string[] {
    return this.#latest?.forbidden.latest() ?? []
  }

  restart(): void {
    const before = this.#latest
    this.#agent = undefined
    this.#latest = undefined
    this.#remembered.clear()
    if (this.#timeline.draw.chance(0.5)) this.#loseUnsynced()
    this.#unsynced = []
    void before?.marks.close()
  }

  async close(): Promise<void> {
    await this.#latest?.marks.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #open(): Promise<Agent> {
    this.#agent ??= this.#begin()
    return this.#agent
  }

  async #begin(): Promise<Agent> {
    const folder = join(this.#folder, 'marks')
    const marks = await Marks.open({
      folder,
      clock: { now: () => agentTime(this.#timeline.nowMs) },
      onError: () => undefined,
      maxMarks: mostMarks,
      open: this.#openFile,
    })
    this.#latest = { marks, forbidden: new ForbiddenIds(marks) }
    return this.#latest
  }

  readonly #openFile: OpenMarkFile = async (path, flags, mode) => {
    const file = await open(path, flags, mode)
    const unlessBad = () => {
      if (this.#disk.fails) throw new Error('EIO')
    }
    const synced = () => {
      unlessBad()
      if (this.#rules.syncsMarks) this.#unsynced = []
    }
    const write = async (bytes: Buffer, from: number, length: number, position: number) => {
      const isBad = this.#disk.fails
      const taken = isBad ? this.#timeline.draw.below(length) : length
      // A new file is renamed to its final name after its sync.
      this.#unsynced.push({ path: path.replace(/\.new$/, ''), position, length: taken })
      await file.write(bytes, from, taken, position)
      if (isBad) throw new Error('EIO')
      return { bytesWritten: taken, buffer: bytes }
    }
    return {
      write: write as OpenFile['write'],
      sync: async () => synced(),
      datasync: async () => synced(),
      stat: file.stat.bind(file),
      close: () => file.close(),
    }
  }

  /** Power loss: unsynced bytes become zeros. */
  #loseUnsynced(): void {
    for (const { path, position, length } of this.#unsynced) {
      if (!existsSync(path)) continue
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(length), 0, length, position)
      closeSync(file)
    }
  }

  #planOthers(): void {
    const { nowMs } = this.#timeline
    const add = async () => {
      this.#others += 1
      await this.recordRemoved(`other_${this.#others}`).catch(() => undefined)
      this.#planOthers()
    }
    this.#timeline.at(nowMs + backgroundEveryMs, add, true)
  }
}

function diskError(): never {
  throw new ExecutorUnavailable('disk error')
}
