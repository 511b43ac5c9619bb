import type { SecurityState } from '@sandbox-jobs/contract/states/catalog-states.ts'
import {
  type EnvironmentVersionState,
  environmentVersionMachine,
} from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sql } from 'kysely'
import type { Trx } from '../../db/database.ts'
import type { EnvironmentVersionsTable } from '../../db/tables/environments.ts'
import { transition } from '../../db/transition.ts'
import { hasBlockedDigest } from '../catalogue/digest-block-store.ts'
import { refreshCurrentVersion } from '../catalogue/environment-store.ts'
import { listOlderCompositions, type VersionRow } from './version-store.ts'

/** Results of a build for its version. The transition to `ready` sets `ready_at`. */
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
    | 'blocked_from'
  >
> & { blocked_reason?: string; security_state?: SecurityState }

export interface VersionTransition {
  to: EnvironmentVersionState
  /** Restricts the source states. Default: all states from which the transition is allowed. */
  from?: readonly EnvironmentVersionState[]
  /** Intermediate states, in order. States that the version has already passed are skipped. */
  through?: readonly EnvironmentVersionState[]
  set?: VersionResult
}

/**
 * The only way to change the state of a version. Records the time and updates the environment's current version. A
 * version that becomes ready with a blocked image is blocked immediately. A curated version has no company and
 * changes state for whichever company builds it. Returns the previous state, or undefined if the transition is not
 * allowed.
 */
export async function transitionVersion(
  trx: Trx,
  version: Pick<VersionRow, 'id' | 'company_id'>,
  move: VersionTransition,
): Promise<EnvironmentVersionState | undefined> {
  const { image_config, ...columns } = move.set ?? {}
  const left = await transition(trx, {
    table: 'environment_versions',
    machine: environmentVersionMachine,
    id: version.id,
    companyId: version.company_id,
    orCurated: true,
    to: move.to,
    ...(move.from && { from: move.from }),
    ...(move.through && { through: move.through }),
    set: {
      ...columns,
      ...(image_config !== undefined && { image_config: image_config && JSON.stringify(image_config) }),
      ...(move.to === 'ready' && { ready_at: sql`now()`, renewal_blocked_at: null }),
      state_changed_at: sql`now()`,
    },
  })
  if (left !== undefined && (left === 'ready' || move.to === 'ready')) {
    await refreshCurrentVersion(trx, version)
  }
  if (left !== undefined && move.to === 'ready' && (await hasBlockedDigest(trx, version))) {
    const set = { blocked_from: 'ready', security_state: 'blocked' } as const
    await transitionVersion(trx, version, { to: 'blocked', set })
  }
  return left
}

/**
 * Handles a change of the runner. When the same archive becomes ready on a new runner in the same environment,
 * versions composed with an older runner become `superseded`. Published tasks on them continue to run; new task
 * versions use the new one.
 */
export async function supersedeOlder(
  trx: Trx,
  version: { id: string; company_id: string | null },
): Promise<void> {
  for (const older of await listOlderCompositions(trx, version))
    await transitionVersion(trx, older, { to: 'superseded' })
}
