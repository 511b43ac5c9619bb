import {
  type EnvironmentVersionState,
  environmentVersionMachine,
} from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { EnvironmentVersionsTable } from '../db/tables/environments.ts'
import { transition } from '../db/transition.ts'
import { refreshCurrentVersion } from './environment-store.ts'

/** What a build learns about its version. `ready_at` is set by the move to `ready` itself. */
export type VersionResult = Partial<
  Pick<
    EnvironmentVersionsTable,
    | 'promoted_digest'
    | 'composed_execution_digest'
    | 'layer_digest'
    | 'runner_release'
    | 'policy_revision'
    | 'image_config'
    | 'unpacked_bytes'
    | 'compressed_bytes'
    | 'verified_at'
    | 'last_build_attempt_id'
  >
> & { blocked_reason?: string }

export interface VersionMove {
  to: EnvironmentVersionState
  /** Narrows the states it may leave; default: those from which it may go there. */
  from?: readonly EnvironmentVersionState[]
  set?: VersionResult
}

/**
 * The only way a version changes state: notes when, and keeps the environment's current version true.
 * Answers the state it left, or undefined when the version may not move so.
 */
export async function moveVersion(
  trx: Trx,
  versionId: string,
  move: VersionMove,
): Promise<EnvironmentVersionState | undefined> {
  const { image_config, ...columns } = move.set ?? {}
  const left = await transition(trx, {
    table: 'environment_versions',
    machine: environmentVersionMachine,
    id: versionId,
    to: move.to,
    ...(move.from && { from: move.from }),
    set: {
      ...columns,
      ...(image_config !== undefined && { image_config: image_config && JSON.stringify(image_config) }),
      ...(move.to === 'ready' && { ready_at: sql`now()` }),
      state_changed_at: sql`now()`,
    },
  })
  if (left !== undefined && (left === 'ready' || move.to === 'ready')) {
    await refreshCurrentVersion(trx, versionId)
  }
  return left
}
