import { sql } from 'kysely'
import { appliesToRoom, narrowestFirst, roomInStatement } from '../../access/share-statement.ts'
import type { Executing } from '../../db/database.ts'
import { activeApprovals, candidateSecrets } from '../../secrets/resolve/candidate-statement.ts'
import type { ActiveApproval, Candidate } from '../../secrets/resolve/slot-resolution.ts'
import { hasNewerVersion } from '../bindings/binding-store.ts'

/** An enabled job whose version has secrets, or of which a newer version is published. */
export interface WaitingJobRow {
  binding_id: string
  accepted_at: Date
  chatroom_id: string
  chatroom_name: string
  department_id: string
  task_id: string
  task_name: string
  owner_scope: string
  owner_id: string
  task_version_id: string
  version_number: number
  canonical_digest: string
  secret_slot_declarations: unknown[] | null
  policies: Record<string, string> | null
  candidates: Candidate[]
  approvals: ActiveApproval[]
  newest_version_id: string | null
  newest_version_number: number | null
  newest_published_at: Date | null
}

/** The terms of `candidateSecrets` and `activeApprovals`, as the statement calls them. */
const slotTerms = {
  companyId: sql.ref('bindings.company_id'),
  taskId: sql.ref('tasks.id'),
  ownerScope: sql.ref('tasks.owner_scope'),
  ownerId: sql.ref('tasks.owner_id'),
  roomId: sql.ref('room.id'),
  departmentId: sql.ref('room.department_id'),
  digest: sql.ref('version.canonical_digest'),
  shareId: sql.ref('share.id'),
}

const hasSlots = sql`coalesce(jsonb_array_length(version.secret_slot_declarations), 0) > 0`

/**
 * Enabled jobs that run in these rooms (undefined: in all of the company), newest first. Reads bindings, tasks, versions, shares,
 * secrets and approvals in one statement; writes nothing.
 */
export async function listWaitingJobs(
  db: Executing,
  { companyId, roomIds, limit }: { companyId: string; roomIds: readonly string[] | undefined; limit: number },
): Promise<WaitingJobRow[]> {
  if (roomIds?.length === 0) return []
  const { rows } = await sql<WaitingJobRow>`
    select bindings.id as binding_id, bindings.accepted_at, room.id as chatroom_id, room.name as chatroom_name,
      room.department_id, tasks.id as task_id, tasks.name as task_name, tasks.owner_scope, tasks.owner_id,
      version.id as task_version_id, version.version_number, version.canonical_digest,
      version.secret_slot_declarations, share.secret_slot_policies as policies,
      case when ${hasSlots} then ${candidateSecrets(slotTerms)} else '[]' end as candidates,
      case when ${hasSlots} then ${activeApprovals(slotTerms)} else '[]' end as approvals,
      newest.id as newest_version_id, newest.version_number as newest_version_number,
      newest.published_at as newest_published_at
    from bindings
    join chatrooms room on room.id = bindings.chatroom_id and room.company_id = bindings.company_id
      and room.deleted_at is null and room.authority_generation = bindings.target_authority_generation
    join tasks on tasks.id = bindings.task_id and tasks.company_id = bindings.company_id
    join task_versions version on version.id = bindings.task_version_id and version.company_id = bindings.company_id
    join lateral (
      select share_grants.id, share_grants.secret_slot_policies from share_grants
      where share_grants.task_id = tasks.id and ${appliesToRoom(roomInStatement)}
      order by ${narrowestFirst}
      limit 1
    ) share on true
    left join task_versions newest on newest.id = tasks.current_published_version_id
      and newest.company_id = bindings.company_id and ${hasNewerVersion}
    where bindings.company_id = ${companyId} and bindings.state = 'enabled'
      and (${roomIds === undefined} or bindings.chatroom_id = any(${roomIds ?? []}::text[]))
      and tasks.state = 'active' and tasks.security_state = 'clear' and not tasks.hidden
      and (${hasSlots} or newest.id is not null)
    order by bindings.accepted_at desc, bindings.id
    limit ${limit}
  `.execute(db)
  return rows
}
