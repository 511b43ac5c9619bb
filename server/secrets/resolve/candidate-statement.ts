import { type RawBuilder, sql } from 'kysely'
import { arrayParam } from '../../db/fast/params.ts'
import { coversNextVersion } from '../approvals/next-versions-statement.ts'
import type { ActiveApproval, Candidate } from './slot-resolution.ts'

/*
 * Parts of the statement that reads what a run's secrets depend on. They read `secret_bindings` and `secret_approvals`; each
 * term is a value of the statement, or a column as the statement calls it.
 */

type Terms = Record<'companyId' | 'taskId' | 'ownerScope' | 'ownerId' | 'roomId' | 'departmentId', unknown>

const consumersOf = ({ companyId, ownerScope, ownerId, roomId, departmentId }: Terms) =>
  sql`(values ('chatroom', ${roomId}), ('department', ${departmentId}), ('company', ${companyId}), (${ownerScope}, ${ownerId}))`

/** The active secrets that the slots of a run might get; without `slots` those of any slot of the task. */
export const candidateSecrets = (terms: Terms & { slots?: unknown }): RawBuilder<Candidate[]> => sql`
  coalesce((
    select jsonb_agg(jsonb_build_object('id', b.id, 'consumerScope', b.consumer_scope,
      'consumerId', b.consumer_id, 'slotName', b.slot_name, 'generation', b.generation))
    from secret_bindings b
    where b.company_id = ${terms.companyId} and b.task_id = ${terms.taskId} and b.state = 'active'
      ${terms.slots === undefined ? sql`` : sql`and b.slot_name in (select unnest(${arrayParam(terms.slots, 'text')}))`}
      and (b.consumer_scope, b.consumer_id) in ${consumersOf(terms)}
  ), '[]')`

/**
 * The active approvals that count for its version, which the statement calls `version`: those of its digest, then those that cover it as
 * a next version in a room that `shareId` reaches.
 */
export const activeApprovals = (
  terms: Terms & { digest: unknown; shareId: unknown },
): RawBuilder<ActiveApproval[]> => sql`
  coalesce((
    select jsonb_agg(jsonb_build_object('id', a.id, 'consumerScope', a.consumer_scope, 'consumerId', a.consumer_id,
      'slotSetHash', a.slot_set_hash, 'isOfVersion', a.task_version_digest = ${terms.digest})
      order by a.task_version_digest = ${terms.digest} desc, a.id)
    from secret_approvals a
    where a.company_id = ${terms.companyId} and a.task_id = ${terms.taskId} and a.state = 'active'
      and (a.consumer_scope, a.consumer_id) in ${consumersOf(terms)}
      and (a.task_version_digest = ${terms.digest} or (a.next_share_grant_id = ${terms.shareId} and ${coversNextVersion}))
  ), '[]')`
