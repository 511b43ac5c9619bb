import type { Database } from '../db/database.ts'
import type { Runner } from '../executor/port.ts'
import {
  approveRelease,
  insertRelease,
  listReleaseRows,
  type RunnerReleaseRow,
} from './runner-release-store.ts'

export type { RunnerReleaseRow } from './runner-release-store.ts'

/** Who approves of a runner: whoever installed it did (`declared`), or the operator says so for each. */
export type RunnerApproval = 'declared' | 'reviewed'

/** Names a runner by what lies above every image. */
export const releaseOf = (runner: Pick<Runner, 'layerDigest'>): string =>
  `runner-${runner.layerDigest.slice('sha256:'.length, 'sha256:'.length + 16)}`

/** The runners that versions were composed with; a task bundle is only delivered by an approved one. */
export class RunnerReleases {
  readonly #db: Database
  readonly #approval: RunnerApproval
  readonly #kept = new Set<string>()

  constructor(db: Database, approval: RunnerApproval) {
    this.#db = db
    this.#approval = approval
  }

  /** Keeps a runner that is met for the first time, and answers its release. */
  async record(runner: Runner): Promise<string> {
    const release = releaseOf(runner)
    if (this.#kept.has(release)) return release
    await insertRelease(this.#db, {
      release,
      layer_digest: runner.layerDigest,
      abi_revision: runner.abiRevision,
      ...(this.#approval === 'declared' && { approved_at: new Date(), approved_by: 'declared' }),
    })
    this.#kept.add(release)
    return release
  }

  /** Newest first. */
  list(): Promise<RunnerReleaseRow[]> {
    return listReleaseRows(this.#db)
  }

  /** False: no such release was ever met. Approving again changes nothing. */
  approve(release: string): Promise<boolean> {
    return approveRelease(this.#db, release)
  }
}
