import { sql } from 'kysely'
import { appliesToRoom, narrowestFirst, roomInStatement } from '../../../access/share-statement.ts'
import type { Executing } from '../../../db/database.ts'
import { arrayParam } from '../../../db/fast/params.ts'
import { prepared } from '../../../db/fast/prepared.ts'
import type { ColumnExpressions } from '../../../db/fast/row-text.ts'
import { activeApprovals, candidateSecrets } from '../../../secrets/resolve/candidate-statement.ts'
import type { ActiveApproval, Candidate, SlotPin } from '../../../secrets/resolve/slot-resolution.ts'
import { ClaimLost } from '../../../work/lease.ts'
import type { ClaimedRun } from '../../model/claimed-run.ts'
import { type LostAuthority, lostAuthority } from '../../model/run-authority-store.ts'

/** The facts that decide which secrets a run gets, as they are now. */
export interface SecretTerms {
  task_id: string
  owner_scope: string
  owner_id: string
  canonical_digest: string
  room_id: string
  department_id: string
  lost_authority: LostAuthority | null
  /** The share to the narrowest target that reaches the room; null where none does. */
  share: { id: string; generation: number; policies: Record<string, string> | null } | null
  candidates: Candidate[]
  approvals: ActiveApproval[]
}

type RunName = Pick<ClaimedRun, 'id' | 'companyId' | 'fence'>

/** The terms of `candidateSecrets` and `activeApprovals`, as the statement calls them. */
const slotTerms = {
  companyId: sql.ref('run.company_id'),
  taskId: sql.ref('task.id'),
  ownerScope: sql.ref('task.owner_scope'),
  ownerId: sql.ref('task.owner_id'),
  roomId: sql.ref('room.id'),
  departmentId: sql.ref('room.department_id'),
  digest: sql.ref('version.canonical_digest'),
  shareId: sql.ref('share.id'),
}

const termsOfRun = prepared<RunName & { slots: readonly string[] }, SecretTerms>(
  ({ id, companyId, fence, slots }) => sql`
    select task.id as task_id, task.owner_scope, task.owner_id, version.canonical_digest,
      room.id as room_id, room.department_id, ${lostAuthority} as lost_authority,
      case when share.id is not null then jsonb_build_object(
        'id', share.id, 'generation', share.generation, 'policies', share.secret_slot_policies) end as share,
      ${candidateSecrets({ ...slotTerms, slots })} as candidates, ${activeApprovals(slotTerms)} as approvals
    from runs run
    join tasks task on task.id = run.task_id and task.company_id = run.company_id
    join task_versions version on version.id = run.task_version_id and version.company_id = run.company_id
    join chatrooms room on room.id = run.chatroom_id and room.company_id = run.company_id and room.deleted_at is null
    left join lateral (
      select share_grants.id, share_grants.generation, share_grants.secret_slot_policies from share_grants
      where share_grants.task_id = task.id and ${appliesToRoom(roomInStatement)}
      order by ${narrowestFirst}
      limit 1
    ) share on true
    where run.id = ${id} and run.company_id = ${companyId} and run.fence = ${fence}
  `,
)

/** Undefined where the run has been claimed again, or its room is gone. */
export const findSecretTerms = async (
  db: Executing,
  run: ClaimedRun,
  slots: readonly string[],
): Promise<SecretTerms | undefined> => (await termsOfRun(db, { ...run, slots }))[0]

/** A slot's secret, and the share by whose policy it was chosen. */
export type PinnedSlot = SlotPin & { shareId: string | null; shareGeneration: number | null }

const heldPins = prepared<
  RunName & { provenance: string; pins: string; nextVersionsOf: readonly string[] },
  { run_id: string }
>(
  ({ id, companyId, fence, provenance, pins, nextVersionsOf }) => sql`
    with held as (
      update runs set secret_slot_provenance = ${provenance}::jsonb
      where id = ${id} and company_id = ${companyId} and fence = ${fence} and terminal_at is null
      returning id, company_id, fence, chatroom_id
    ), used as (
      insert into audit_pending (company_id, change, object_type, object_id, chatroom_id, run_id)
      select held.company_id, 'insert', 'next_versions_use', approval.id, held.chatroom_id, held.id
      from held, unnest(${arrayParam(nextVersionsOf, 'text')}) as approval (id)
    )
    insert into run_secret_pins (run_id, company_id, fence, pins)
    select id, company_id, fence, ${pins}::jsonb from held
    on conflict (run_id) do update
      set fence = excluded.fence, pins = excluded.pins, pinned_at = now()
      where run_secret_pins.company_id = excluded.company_id
    returning run_id
  `,
)

/**
 * Freezes what a claimed run is given: provenance for its readers, and the exact pins. A later claim replaces them. The audit log
 * names each approval by which a version that was not itself approved is given something. Throws `ClaimLost`.
 */
export async function writePins(
  db: Executing,
  run: ClaimedRun,
  pins: Readonly<Record<string, PinnedSlot>>,
): Promise<void> {
  const provenance = Object.fromEntries(
    Object.entries(pins).map(([slot, { resolvedVia, consumerScope }]) => [
      slot,
      { resolved_via: resolvedVia, consumer_scope: consumerScope },
    ]),
  )
  const texts = { provenance: JSON.stringify(provenance), pins: JSON.stringify(pins) }
  const nextVersionsOf = approvalsOfEarlierVersions(Object.values(pins))
  const rows = await heldPins(db, { ...run, ...texts, nextVersionsOf })
  if (rows.length === 0) throw new ClaimLost()
}

const approvalsOfEarlierVersions = (pins: readonly SlotPin[]): string[] => [
  ...new Set(
    pins.flatMap(({ approvalId, isNextVersion }) => (approvalId && isNextVersion ? [approvalId] : [])),
  ),
]

/** Declarations of the version of a claimed run. */
export interface SecretsRow {
  secret_slot_declarations: unknown[] | null
}

export const secretsColumns: ColumnExpressions<SecretsRow> = {
  secret_slot_declarations: sql`v.secret_slot_declarations`,
}
