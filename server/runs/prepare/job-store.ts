import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { selectList } from '../../db/fast/row-text.ts'
import { keptBytesOf, keptLimitOf } from '../../db/kept-bytes.ts'
import type { JobRow } from '../model/claimed-run.ts'
import { lostAuthority } from '../model/run-authority-store.ts'
import { type PartRows, runParts } from '../parts/run-parts.ts'

/** All data that a claimed run needs to start, read once. */
export type RunJob = JobRow & PartRows

const columnsOfParts = sql.join(
  runParts.flatMap(({ columns }) => (columns ? [selectList<object>(columns)] : [])),
)

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
      v.startup_script, v.work_script, v.work_command, v.ordinary_env, v.content_state,
      door.kind as door_kind,
      v.state as version_state, t.state as task_state, t.security_state as task_security_state,
      case when 'blocked' in (ev.security_state, e.security_state) then 'blocked' else 'clear' end
        as environment_security_state,
      run.environment_version_id, ev.layer_digest, ev.promoted_digest, ev.isolation,
      coalesce(s.runtime_egress_enabled, true) as runtime_egress_enabled,
      charge.reserved_received_bytes, charge.reserved_sent_bytes,
      e.egress_allow_list as environment_allow_list, t.egress_allow_list as task_allow_list,
      ${lostAuthority} as lost_authority,
      ${columnsOfParts},
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
    where run.id = ${run.id} and run.company_id = ${run.companyId} and run.fence = ${run.fence}
  `.execute(db)
  return rows[0]
}
