import type { SecurityState } from '@sandbox-jobs/contract/states/catalog-states.ts'
import {
  type EnvironmentVersionState,
  environmentVersionMachine,
} from '@sandbox-jobs/contract/states/environment-version-states.ts'
import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import type { EnvironmentVersionsTable } from '../db/tables/environments.ts'
import { transition } from '../db/transition.ts'
import { hasBlockedDigest } from './digest-block-store.ts'
import { refreshCurrentVersion } from './environment-store.ts'
import type { VersionRow } from './version-store.ts'

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
    | 'blocked_from'
  >
> & { blocked_reason?: string; security_state?: SecurityState }

export interface VersionMove {
  to: EnvironmentVersionState
  /** Narrows the states it may leave; default: those from which it may go there. */
  from?: readonly EnvironmentVersionState[]
  /** States on the way, in their order; those that it has passed are left out. */
  through?: readonly EnvironmentVersionState[]
  set?: VersionResult
}

/**
 * The only way a version changes state: notes when, and keeps the environment's current version true. One that becomes
 * ready with an image that the operator has blocked is blocked at once.
 * A curated version, which is of no company, moves under whichever company builds it. Answers the state it left, or undefined when the version may not move so.
 */
export async function moveVersion(
  trx: Trx,
  version: Pick<VersionRow, 'id' | 'company_id'>,
  move: VersionMove,
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
      ...(move.to === 'ready' && { ready_at: sql`now()` }),
      state_changed_at: sql`now()`,
    },
  })
  if (left !== undefined && (left === 'ready' || move.to === 'ready')) {
    await refreshCurrentVersion(trx, version)
  }
  if (left !== undefined && move.to === 'ready' && (await hasBlockedDigest(trx, version))) {
    const set = { blocked_from: 'ready', security_state: 'blocked' } as const
    await moveVersion(trx, version, { to: 'blocked', set })
  }
  return left
}
