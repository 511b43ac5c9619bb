import { sql } from 'kysely'
import { type CallerMembership, joinMembership } from '../../access/authentication/caller-statement.ts'
import { applicableShareId, roomInStatement } from '../../access/share-statement.ts'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'

/** A version that a room requests to run. */
export interface RequestedVersion {
  companyId: string
  roomId: string
  versionId: string
  /** The user whose membership of the room is read; null for none. */
  userId: string | null
}

/** A version with all fields that decide whether the room may run it now. */
export interface RunnableRow {
  id: string
  task_id: string
  company_id: string
  environment_version_id: string
  bundle_id: string | null
  input_schema: string | null
  timeout_seconds: number
  requires_confirmation: boolean
  output_policy: Record<string, unknown> | null
  created_by: string
  published_by: string | null
  state: string
  content_state: string
  task_state: string
  task_security_state: string
  share_grant_id: string | null
  /** Of the environment version; null if the company may not use it. */
  resource_profile: string | null
  environment_security_state: string | null
  layer_digest: string | null
  runner_approved: boolean
  /** Null: every region of the deployment. */
  allowed_regions: string[] | null
}

/** The user's membership of the room, and the version; `id` is null if there is no such version. */
export type RunnableReading = CallerMembership & { [Column in keyof RunnableRow]: RunnableRow[Column] | null }

/** The version columns are either all set or all null. */
export const runnableOf = (reading: RunnableReading): RunnableRow | undefined =>
  reading.id === null ? undefined : (reading as RunnableRow)

const runnables = prepared<
  { companyIds: string[]; roomIds: string[]; versionIds: string[]; userIds: (string | null)[] },
  RunnableReading & { ordinal: number }
>(
  ({ companyIds, roomIds, versionIds, userIds }) => sql`
    select requested.ordinal, room.department_id, member.room_manager, version.id, version.task_id, version.company_id, version.environment_version_id,
      version.bundle_id, version.input_schema, version.timeout_seconds, version.requires_confirmation, version.output_policy, version.created_by,
      version.published_by, version.state, version.content_state,
      task.state as task_state, task.security_state as task_security_state, ${applicableShareId(sql.ref('task.id'), roomInStatement)} as share_grant_id,
      built.resource_profile, built.layer_digest, release.approved_at is not null as runner_approved,
      case when environment.security_state = 'blocked' then 'blocked' else built.security_state end
        as environment_security_state,
      settings.allowed_regions
    from unnest(
      ${arrayParam(companyIds, 'text')}, ${arrayParam(roomIds, 'text')}, ${arrayParam(versionIds, 'text')},
      ${arrayParam(userIds, 'text')}
    ) with ordinality as requested (company_id, room_id, version_id, user_id, ordinal)
    ${joinMembership({ roomId: 'requested.room_id', companyId: 'requested.company_id', userId: 'requested.user_id' })}
    left join task_versions version on version.id = requested.version_id and version.company_id = requested.company_id
    left join tasks task on task.id = version.task_id
    left join environment_versions built on built.id = version.environment_version_id
      and (built.company_id = requested.company_id or built.company_id is null)
    left join environments environment on environment.id = built.environment_id
    left join runner_releases release on release.release = built.runner_release
    left join company_settings settings on settings.company_id = requested.company_id
    where room.id is not null
  `,
)

/**
 * Each room with the user's membership and the version, in the order of the request; undefined if the company has no
 * such live room. One statement, because every submission needs it. Writes nothing.
 */
export async function findRunnableRows(
  db: Executing,
  requested: readonly RequestedVersion[],
): Promise<(RunnableReading | undefined)[]> {
  const rows = await runnables(db, {
    companyIds: requested.map(({ companyId }) => companyId),
    roomIds: requested.map(({ roomId }) => roomId),
    versionIds: requested.map(({ versionId }) => versionId),
    userIds: requested.map(({ userId }) => userId),
  })
  const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]))
  return requested.map((_, at) => byOrdinal.get(at + 1))
}
