import type { Executing } from '../../db/database.ts'

/** Fields of a version's latest build attempt that the version shows. */
export interface LastAttempt {
  id: string
  state: string
  stage_code: string
  stage_since: Date
  terminal_at: Date | null
  error_code: string
  error_detail: string
}

export interface LastBuild {
  attempt: LastAttempt
  /** Mean duration of the company's last completed builds. Null if there are none, or if the attempt has ended. */
  expectedSeconds: number | null
}

/**
 * Builds by the id of their attempt, `environment_versions.last_build_attempt_id`. Builds implement it: environments read no
 * table of theirs. Read the versions first: a version that is final then has an attempt that is final.
 */
export type ReadLastBuilds = (
  db: Executing,
  companyId: string,
  attemptIds: readonly string[],
) => Promise<ReadonlyMap<string, LastBuild>>
