import { may, roomSubject } from '../../access/allow.ts'
import { type Room, standingOf, userIdOf } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import type { Executing } from '../../db/database.ts'
import { Batcher } from '../../db/fast/batcher.ts'
import type { RunnableVersion as EnvironmentVersion } from '../../environments/versions/ready-versions.ts'
import { findTask } from '../catalogue/task-store.ts'
import { findVersionById, type TaskVersionRow } from '../versions/task-version-store.ts'
import { findMenuItems, type MenuLookup, type MenuRow } from './menu-store.ts'
import {
  findRunnableRows,
  type RequestedVersion,
  type RunnableReading,
  type RunnableRow,
  runnableOf,
} from './runnable-store.ts'

/** A version to run, with the share that grants it (contract part 1, "Resource map and invariants"). */
export interface RunnableVersion
  extends Pick<
    RunnableRow,
    | 'id'
    | 'task_id'
    | 'company_id'
    | 'environment_version_id'
    | 'bundle_id'
    | 'input_schema'
    | 'timeout_seconds'
    | 'requires_confirmation'
    | 'output_policy'
    | 'created_by'
    | 'published_by'
  > {
  shareGrantId: string
  /** The environment of the version; undefined if the company may not use it. */
  environment: RunnableEnvironment | undefined
  /** Regions in which the company allows runs; undefined: every region of the deployment. */
  allowedRegions: readonly string[] | undefined
}

type RunnableEnvironment = Pick<
  EnvironmentVersion,
  'resource_profile' | 'security_state' | 'layer_digest' | 'runner_approved'
>

/** Finds versions that rooms may run. Concurrent submissions share one statement. */
export class Runnables {
  readonly #rows: Batcher<RequestedVersion, RunnableReading>
  readonly #items: Batcher<MenuLookup, MenuRow>

  constructor(db: Executing) {
    this.#rows = new Batcher((requested) => findRunnableRows(db, requested))
    this.#items = new Batcher((requested) => findMenuItems(db, requested))
  }

  /** The item of a room's menu that pins this version. */
  menuItem(room: Room, versionId: string): Promise<MenuRow | undefined> {
    return this.#items.add({ room, versionId })
  }

  /**
   * The version that a room may run: its task is shared with the room, its department or its company, by a share that
   * still applies. The caller's access to the room is checked separately. If the task is archived while a run is
   * queued, the run is refused when it is claimed. Throws `not_found` without a share,
   * `content_scrubbed_irreversible`, `version_not_runnable`.
   */
  async resolve(companyId: string, roomId: string, versionId: string): Promise<RunnableVersion> {
    const reading = await this.#rows.add({ companyId, roomId, versionId, userId: null })
    return runnableVersion(reading)
  }

  /**
   * As `resolve`, and checks in the same statement that the caller may submit runs there; throws `not_found` if not.
   * The returned function resolves the version and throws its errors.
   */
  async resolveFor(principal: Principal, roomId: string, versionId: string): Promise<() => RunnableVersion> {
    const { companyId } = principal
    const found = await this.#rows.add({ companyId, roomId, versionId, userId: userIdOf(principal) })
    const reading = found && standingOf(principal, roomId, found)
    if (!reading || !may(principal, 'run.submit', roomSubject(roomId, reading))) throw notFound()
    return () => runnableVersion(reading)
  }
}

function runnableVersion(reading: RunnableReading | undefined): RunnableVersion {
  const row = reading && runnableOf(reading)
  if (row?.share_grant_id == null) throw notFound()
  requireUsable({ state: row.task_state, security_state: row.task_security_state }, row)
  const { resource_profile, environment_security_state: security_state, layer_digest, runner_approved } = row
  return {
    id: row.id,
    task_id: row.task_id,
    company_id: row.company_id,
    environment_version_id: row.environment_version_id,
    bundle_id: row.bundle_id,
    input_schema: row.input_schema,
    timeout_seconds: row.timeout_seconds,
    requires_confirmation: row.requires_confirmation,
    output_policy: row.output_policy,
    created_by: row.created_by,
    published_by: row.published_by,
    shareGrantId: row.share_grant_id,
    environment:
      resource_profile !== null && security_state !== null
        ? { resource_profile, security_state, layer_digest, runner_approved }
        : undefined,
    allowedRegions: row.allowed_regions ?? undefined,
  }
}

/**
 * A version that a quick run created in this room, which has no share; undefined for other versions. Throws
 * `content_scrubbed_irreversible`, `version_not_runnable`.
 */
export async function resolveHidden(
  db: Executing,
  room: Room,
  taskVersionId: string,
): Promise<TaskVersionRow | undefined> {
  const version = await findVersionById(db, room.company_id, taskVersionId)
  if (!version) return undefined
  const task = await findTask(db, room.company_id, version.task_id)
  if (!task?.hidden || task.owner_id !== room.id) return undefined
  requireUsable(task, version)
  return version
}

function requireUsable(
  task: { state: string; security_state: string },
  version: { state: string; content_state: string },
): void {
  if (version.content_state === 'scrubbed') throw new CodedError('content_scrubbed_irreversible')
  const usable = version.state === 'published' && task.state === 'active' && task.security_state === 'clear'
  if (!usable) throw new CodedError('version_not_runnable')
}

export { inputChecker, validateInput } from '../inputs/validate-input.ts'
