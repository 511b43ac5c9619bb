import { sql } from 'kysely'
import type { Executing } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/array-param.ts'
import { prepared } from '../../db/fast/prepared.ts'
import type { ActiveApproval, Candidate, SlotTerms } from './slot-resolution.ts'

/* Reads `secret_bindings` and `secret_approvals`; writes nothing. */

interface Found {
  candidates: Candidate[]
  approvals: ActiveApproval[]
}

type Wanted = Record<
  'companyId' | 'taskId' | 'ownerScope' | 'ownerId' | 'roomId' | 'departmentId' | 'digest',
  string
> & { slots: readonly string[] }

const found = prepared<Wanted, Found>((wanted) => {
  const { companyId, taskId, digest } = wanted
  const consumers = sql`(values ('chatroom', ${wanted.roomId}), ('department', ${wanted.departmentId}),
    ('company', ${companyId}), (${wanted.ownerScope}, ${wanted.ownerId}))`
  return sql`
    select
      coalesce((
        select jsonb_agg(jsonb_build_object('id', b.id, 'consumerScope', b.consumer_scope,
          'consumerId', b.consumer_id, 'slotName', b.slot_name, 'generation', b.generation))
        from secret_bindings b
        where b.company_id = ${companyId} and b.task_id = ${taskId} and b.state = 'active'
          and b.slot_name in (select unnest(${arrayParam(wanted.slots, 'text')})) and (b.consumer_scope, b.consumer_id) in ${consumers}
      ), '[]') as candidates,
      coalesce((
        select jsonb_agg(jsonb_build_object('id', a.id, 'consumerScope', a.consumer_scope,
          'consumerId', a.consumer_id, 'slotSetHash', a.slot_set_hash))
        from secret_approvals a
        where a.company_id = ${companyId} and a.task_id = ${taskId} and a.state = 'active'
          and a.task_version_digest = ${digest} and (a.consumer_scope, a.consumer_id) in ${consumers}
      ), '[]') as approvals
  `
})

/** The active secrets that the slots of a run might get, and the active approvals of its digest. */
export async function findCandidates(
  db: Executing,
  { companyId, taskId, owner, room, digest, slots }: SlotTerms,
): Promise<Found> {
  const names = {
    ownerScope: owner.scope,
    ownerId: owner.id,
    roomId: room.id,
    departmentId: room.departmentId,
  }
  const [row] = await found(db, { companyId, taskId, digest, slots, ...names })
  return row ?? { candidates: [], approvals: [] }
}
