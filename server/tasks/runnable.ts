import { CodedError, notFound } from '../base/coded-error.ts'
import type { Executing } from '../db/database.ts'
import { Gathered } from '../db/gathered.ts'
import type { RunnableVersion as EnvironmentVersion } from '../environments/ready-versions.ts'
import { belongsTo, type Room } from '../platform/directory.ts'
import type { Principal } from '../platform/principal.ts'
import {
  type AskedVersion,
  findRunnableRows,
  type RunnableReading,
  type RunnableRow,
  runnableOf,
} from './runnable-store.ts'
import { findTask } from './task-store.ts'
import { findVersionById, type TaskVersionRow } from './task-version-store.ts'

/** What a run is made of, with the share that lent it (contract part 1, "Resource map and invariants"). */
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
  > {
  shareGrantId: string
  /** What it stands on; undefined when that is not the company's to use. */
  environment: RunnableEnvironment | undefined
  /** Where the company allows runs; undefined: in every region of the deployment. */
  allowedRegions: readonly string[] | undefined
}

type RunnableEnvironment = Pick<
  EnvironmentVersion,
  'resource_profile' | 'security_state' | 'layer_digest' | 'runner_approved'
>

/** Finds what rooms may run; versions that many submissions ask for at once in one statement. */
export class Runnables {
  readonly #rows: Gathered<AskedVersion, RunnableReading>

  constructor(db: Executing) {
    this.#rows = new Gathered((asked) => findRunnableRows(db, asked))
  }

  /**
   * The version a room may run: of a task shared to it, to its department or to its company, by a share that
   * still applies. Whether the caller may act in the room is decided apart; a run that was queued although the task was
   * archived meanwhile is refused when it is taken from the queue. Throws `not_found` without a share,
   * `content_scrubbed_irreversible`, `version_not_runnable`.
   */
  async resolve(companyId: string, roomId: string, versionId: string): Promise<RunnableVersion> {
    const reading = await this.#rows.find({ companyId, roomId, versionId, userId: null })
    return runnableVersion(reading)
  }

  /**
   * The same by who must be in the room, both found at once: throws `not_found` when the caller is not. Whether there is
   * a version that may be run, and why not, is told by the call of what is answered.
   */
  async resolveFor(principal: Principal, roomId: string, versionId: string): Promise<() => RunnableVersion> {
    const { companyId, principalType, principalId } = principal
    const userId = principalType === 'user' ? principalId : null
    const reading = await this.#rows.find({ companyId, roomId, versionId, userId })
    if (!reading || !belongsTo(principal, roomId, reading)) throw notFound()
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
    shareGrantId: row.share_grant_id,
    environment:
      resource_profile !== null && security_state !== null
        ? { resource_profile, security_state, layer_digest, runner_approved }
        : undefined,
    allowedRegions: row.allowed_regions ?? undefined,
  }
}

/**
 * A version that a quick run made in this room, which no share lends; undefined when it is none. Throws
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

export { validateInput } from './validate-input.ts'
