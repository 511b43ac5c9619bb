import type { Runner } from '../../../agent/port/platform.ts'
import type { Database } from '../../db/database.ts'
import {
  approveRelease,
  insertRelease,
  listReleaseRows,
  type RunnerReleaseRow,
} from './runner-release-store.ts'

export type { RunnerReleaseRow } from './runner-release-store.ts'

/** How a runner is approved: by its installation (`declared`), or explicitly by the operator (`reviewed`). */
export type RunnerApproval = 'declared' | 'reviewed'

/** A runner release is identified by the layer that it adds on top of every image. */
export const releaseOf = (runner: Pick<Runner, 'layerDigest'>): string =>
  `runner-${runner.layerDigest.slice('sha256:'.length, 'sha256:'.length + 16)}`

/** The runners that versions were composed with. A task bundle is delivered only by an approved runner. */
export class RunnerReleases {
  readonly #db: Database
  readonly #approval: RunnerApproval
  readonly #kept = new Set<string>()

  constructor(db: Database, approval: RunnerApproval) {
    this.#db = db
    this.#approval = approval
  }

  /** Stores a runner on its first use. Returns its release. */
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

  /** False if the release is unknown. Approving an approved release changes nothing. */
  approve(release: string): Promise<boolean> {
    return approveRelease(this.#db, release)
  }
}
