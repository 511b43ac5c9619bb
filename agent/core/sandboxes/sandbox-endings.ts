import type { Occupancy } from '../../capacity/occupancy.ts'
import type { MakeOptions } from '../make/made-sandbox.ts'
import type { SandboxMaker } from '../make/sandbox-maker.ts'
import type { WarmPool } from '../make/warm-pool.ts'
import { hasRecordFile, neverReleased, writeRecords } from '../records/exit-record.ts'
import { withMaskedNames } from '../records/masked-names.ts'
import type { Residue } from '../residue.ts'
import type { Shim } from '../shim/shim.ts'
import type { Sandbox } from './sandbox.ts'

export interface SandboxEndingsParts {
  options: Pick<MakeOptions, 'network'> & { onError: (error: unknown) => void }
  /** All sandboxes of this machine by id. */
  known: Map<string, Sandbox>
  occupancy: Occupancy
  residue: Residue
  maker: SandboxMaker
  warm: WarmPool
}

/** Follows live sandboxes to their ends. */
export class SandboxEndings {
  readonly #parts: SandboxEndingsParts

  constructor(parts: SandboxEndingsParts) {
    this.#parts = parts
  }

  /** Follows a live shim: reads the exit record when it ends, and releases the id range when it is gone. */
  follow(sandbox: Sandbox, shim: Shim): void {
    sandbox.shim = shim
    sandbox.cleanedUp = this.#settle(sandbox, shim).catch(this.#parts.options.onError)
  }

  async #settle(sandbox: Sandbox, shim: Shim): Promise<void> {
    const { options, occupancy, residue, maker, warm } = this.#parts
    const { startRecord, folder } = sandbox
    await shim.running
    if (shim.isRunning()) sandbox.running.resolve()
    await shim.ended
    await this.#writeRecords(sandbox).catch(options.onError)
    const mayHaveStarted = sandbox.released && hasRecordFile(folder)
    // Without a record that can be read or written, nothing is known of it: whoever waits for it gets no exit.
    const exit = (await residue.record(startRecord, folder).catch(options.onError)) ?? undefined
    const diedBeforeStart = exit?.cause === 'lost' && !mayHaveStarted
    if (exit && (neverReleased(exit) || diedBeforeStart)) return this.#forget(sandbox, shim)
    sandbox.phase = 'recorded'
    sandbox.running.resolve()
    sandbox.exited.resolve(exit)
    await shim.gone
    sandbox.phase = 'gone'
    occupancy.release(startRecord.spec)
    maker.release(startRecord)
    warm.scheduleFill()
    await residue.sweep({ ...startRecord, folder })
  }

  /** Destroys a sandbox that ended before it took the start signal, or whose agent died before it: there was no start, so the id stays startable. */
  async #forget(sandbox: Sandbox, shim: Shim): Promise<void> {
    const { options, known, occupancy, maker } = this.#parts
    const { startRecord, folder } = sandbox
    await maker.destroy({ ...startRecord, folder, shim }).catch(options.onError)
    occupancy.release(startRecord.spec)
    known.delete(startRecord.spec.id)
    sandbox.running.resolve()
    sandbox.exited.resolve(undefined)
  }

  /** Must run before the exit record is read, because the record includes the refusals, and leaves out traffic with the service. */
  async #writeRecords(sandbox: Sandbox): Promise<void> {
    const { link, hasMasked } = sandbox.startRecord
    const records = link && (await this.#parts.options.network.takeRecords(link))
    const values = hasMasked ? sandbox.masked : []
    sandbox.masked = undefined
    if (!records?.refused && !records?.reached && !records?.service) return
    const refused = records.refused && (await withMaskedNames(records.refused, values))
    await writeRecords(sandbox.folder, { ...records, ...(refused && { refused }) })
  }
}
