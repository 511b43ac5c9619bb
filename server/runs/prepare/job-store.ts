import type { EgressAllowList } from '@sandbox-jobs/contract/resources/environments/egress.ts'
import type { Isolation } from '@sandbox-jobs/contract/resources/environments/version-isolation.ts'
import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { keptBytesOf, keptLimitOf } from '../../db/kept-bytes.ts'
import { type LostAuthority, lostAuthority } from '../model/run-authority-store.ts'
import type { RunBundle } from '../parts/bundle/bundle-part.ts'
import type { StoredRunFile } from '../parts/files/file-blocks.ts'
import type { JobSession } from '../parts/session/session-blocks.ts'

/** All data that a claimed run needs to start, read once. */
export interface RunJob {
  claimed_at: Date
  chatroom_id: string
  task_id: string
  task_version_id: string
  resource_profile: string
  timeout_seconds: number
  input: Buffer | null
  startup_script: string
  work_script: string
  work_command: string | null
  ordinary_env: Record<string, unknown> | null
  secret_slot_declarations: unknown[] | null
  output_policy: unknown
  /** Who wrote the version, and who published it. */
  author: string
  publisher: string
  principal_type: 'user' | 'social_media_client'
  principal_id: string
  submission_source: string
  /** Null for a run that did not come by a door. */
  door_kind: string | null
  content_state: string
  version_state: string
  task_state: string
  task_security_state: string
  environment_security_state: string
  environment_version_id: string
  /** The image by the row. What runs is decided by its signed statements. */
  layer_digest: string | null
  promoted_digest: string | null
  isolation: Isolation
  runtime_egress_enabled: boolean
  /** Bytes that the run's hold covers; null: these have no price. */
  reserved_received_bytes: number | null
  reserved_sent_bytes: number | null
  environment_allow_list: EgressAllowList | null
  task_allow_list: EgressAllowList | null
  bundle: RunBundle | null
  files: StoredRunFile[]
  session_id: string | null
  /** Null for a run without one, and for a run that does not hold it. */
  session: JobSession | null
  /** The authority that the run has lost since its submission; null if all of it is still valid. */
  lost_authority: LostAuthority | null
  /** Whether the company's storage quota has room for results. */
  has_room: boolean
}

/**
 * One read across several domains, since it is on the path from submission to start. Also undefined if the run has been
 * claimed again, because `claimed_at` would then be of another claim.
 */
export async function findJob(
  db: Executing,
  run: { id: string; companyId: string; fence: number },
): Promise<RunJob | undefined> {
  const { rows } = await sql<RunJob>`
    select run.claimed_at, run.chatroom_id, run.task_id, run.task_version_id, run.resource_profile, run.timeout_seconds, i.content as input,
      v.startup_script, v.work_script, v.work_command, v.ordinary_env, v.secret_slot_declarations, v.content_state,
      v.output_policy, v.created_by as author, coalesce(v.published_by, v.created_by) as publisher,
      run.principal_type, run.principal_id, run.submission_source, door.kind as door_kind,
      v.state as version_state, t.state as task_state, t.security_state as task_security_state,
      case when 'blocked' in (ev.security_state, e.security_state) then 'blocked' else 'clear' end
        as environment_security_state,
      run.environment_version_id, ev.layer_digest, ev.promoted_digest, ev.isolation,
      coalesce(s.runtime_egress_enabled, true) as runtime_egress_enabled,
      charge.reserved_received_bytes, charge.reserved_sent_bytes,
      e.egress_allow_list as environment_allow_list, t.egress_allow_list as task_allow_list,
      ${lostAuthority} as lost_authority,
      case when b.id is null then null else jsonb_build_object('storage_key', b.storage_key,
        'archive_format', b.archive_format, 'byte_size', b.byte_size, 'digest', b.digest,
        'uploaded_at', extract(epoch from b.created_at)) end as bundle,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', f.name, 'byte_size', f.byte_size, 'digest', f.digest,
          'key', coalesce(u.storage_key, c.bundle_key), 'start', coalesce(a.bundle_offset, 0),
          'stored_at', extract(epoch from coalesce(u.created_at, c.created_at))) order by f.place)
        from run_files f
        left join input_files u on u.id = f.file_id and u.company_id = f.company_id
        left join run_artifacts a on a.id = f.artifact_id and a.company_id = f.company_id
        left join run_contents c on c.run_id = a.run_id and c.company_id = a.company_id and c.state = 'active'
        where f.run_id = run.id and f.company_id = run.company_id
      ), '[]') as files,
      run.session_id, (
        select jsonb_build_object('tree_id', session.tree_id, 'size_limit_bytes', session.size_limit_bytes)
        from sessions session where session.id = run.session_id and session.company_id = run.company_id
          and session.holder_run_id = run.id
      ) as session,
      coalesce(${keptBytesOf(sql`run.company_id`)} < ${keptLimitOf(sql`run.company_id`)}, true) as has_room
    from runs run
    join tasks t on t.id = run.task_id and t.company_id = run.company_id
    join task_versions v on v.id = run.task_version_id and v.company_id = run.company_id
    join environment_versions ev on ev.id = run.environment_version_id
    join environments e on e.id = ev.environment_id
    left join doors door on door.id = run.api_key_id and door.company_id = run.company_id
    left join company_settings s on s.company_id = run.company_id
    left join charges charge on charge.subject_id = run.id and charge.company_id = run.company_id
    left join run_inputs i on i.run_id = run.id
    left join task_bundles b on b.id = v.bundle_id and b.company_id = v.company_id
    where run.id = ${run.id} and run.company_id = ${run.companyId} and run.fence = ${run.fence}
  `.execute(db)
  return rows[0]
}
