import type { Database } from '../db/database.ts'
import { moveVersion } from '../environments/version-moves.ts'
import { type ProvisioningTools, provisionVersion } from './provision-version.ts'
import { listUnprovisioned, type UnprovisionedVersion, withUnprovisioned } from './provisioning-store.ts'

/** Postgres channel that names each version whose provisioning is asked for. */
export const provisioningAskedChannel = 'provisioning_asked'

const versionsPerRound = 100

/**
 * Provisions built versions again: one after another, each by one worker. What cannot be done now, because the
 * executor or the storage is away, stays as it is until somebody looks again; so does what a worker leaves that dies.
 */
export class Provisioner {
  readonly #db: Database
  readonly #tools: ProvisioningTools
  readonly #stopping = new AbortController()
  #round: Promise<void> | undefined
  #lookAgain = false

  constructor(db: Database, tools: ProvisioningTools) {
    this.#db = db
    this.#tools = tools
  }

  /** One round at a time; a call meanwhile makes for one more. Resolves when there is none under way. */
  look(): Promise<void> {
    this.#lookAgain = true
    this.#round ??= this.#goRound().finally(() => {
      this.#round = undefined
    })
    return this.#round
  }

  /** Cuts off what is under way, and resolves when nothing is. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#round
  }

  async #goRound(): Promise<void> {
    const { signal } = this.#stopping
    while (this.#lookAgain && !signal.aborted) {
      this.#lookAgain = false
      try {
        for (const id of await listUnprovisioned(this.#db, versionsPerRound)) {
          if (signal.aborted) return
          await this.#tryOne(id)
        }
      } catch (error) {
        this.#tools.log.warn({ error: String(error) }, 'cannot look for versions to provision')
      }
    }
  }

  /** A failure is this version's alone: the next ones have their turn. */
  async #tryOne(id: string): Promise<void> {
    try {
      await withUnprovisioned(this.#db, id, (version, holder) => this.#provision(version, holder))
    } catch (error) {
      this.#tools.log.warn({ version: id, error: String(error) }, 'provisioning will be tried again')
    }
  }

  async #provision(version: UnprovisionedVersion, holder: Database): Promise<void> {
    const done = await provisionVersion(this.#tools, version, this.#stopping.signal)
    const set = { blocked_reason: done.to === 'ready' ? '' : done.reason }
    await holder
      .transaction()
      .execute((trx) => moveVersion(trx, version, { to: done.to, from: ['regional_provisioning'], set }))
  }
}
