import { agentProposalMachine } from '@sandbox-jobs/contract/states/agent-proposal-states.ts'
import { type Selectable, sql } from 'kysely'
import type { Principal } from '../../access/principal.ts'
import { acrossCompanies } from '../../db/across-companies.ts'
import type { Executing, Trx } from '../../db/database.ts'
import { arrayParam } from '../../db/fast/params.ts'
import { prepared } from '../../db/fast/prepared.ts'
import type { AgentProposalsTable } from '../../db/tables/agents.ts'
import { recordCreated, type Transition, transition } from '../../db/transition.ts'

/** Writes the table `agent_proposals`. */

type StoredProposal = Selectable<AgentProposalsTable>
/** Without the input, which may be a mebibyte and is needed for the run alone. */
export type ProposalRow = Omit<StoredProposal, 'input'>

const columns = [
  'id',
  'company_id',
  'chatroom_id',
  'principal_type',
  'principal_id',
  'origin_message_id',
  'origin_sequence',
  'task_id',
  'task_version_id',
  'timeout_seconds',
  'input_digest',
  'summary',
  'state',
  'created_at',
  'expires_at',
  'ended_at',
  'turn_message_id',
  'run_id',
] as const satisfies (keyof ProposalRow)[]

type State = keyof typeof agentProposalMachine.transitions

export async function insertProposal(
  trx: Trx,
  row: Omit<StoredProposal, 'state' | 'created_at' | 'ended_at' | 'turn_message_id' | 'run_id'>,
): Promise<void> {
  await trx.insertInto('agent_proposals').values(row).execute()
  const { id, company_id: companyId } = row
  const { initial: state } = agentProposalMachine
  await recordCreated(trx, { machine: agentProposalMachine, id, companyId, state })
}

export const findProposal = (
  db: Executing,
  key: { companyId: string; id: string },
): Promise<ProposalRow | undefined> =>
  db
    .selectFrom('agent_proposals')
    .select(columns)
    .where('id', '=', key.id)
    .where('company_id', '=', key.companyId)
    .executeTakeFirst()

/** The exact bytes that were proposed. */
export async function findProposalInput(
  db: Executing,
  { id, company_id }: Pick<ProposalRow, 'id' | 'company_id'>,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('agent_proposals')
    .select('input')
    .where('id', '=', id)
    .where('company_id', '=', company_id)
    .executeTakeFirst()
  return row?.input
}

/** The proposal that a turn committed. */
export const findProposalOfTurn = (
  db: Executing,
  turn: { companyId: string; messageId: string },
): Promise<ProposalRow | undefined> =>
  db
    .selectFrom('agent_proposals')
    .select(columns)
    .where('turn_message_id', '=', turn.messageId)
    .where('company_id', '=', turn.companyId)
    .executeTakeFirst()

type ProposalOwner = Pick<Principal, 'companyId' | 'principalType' | 'principalId'>

const pendingOfOwners = prepared<
  { companyIds: string[]; types: string[]; ids: string[] },
  ProposalRow & { ordinal: number }
>(
  ({ companyIds, types, ids }) => sql`
    select requested.ordinal, ${sql.join(columns.map((column) => sql.ref(`pending.${column}`)))}
    from unnest(${arrayParam(companyIds, 'text')}, ${arrayParam(types, 'text')}, ${arrayParam(ids, 'text')})
      with ordinality as requested (company_id, principal_type, principal_id, ordinal)
    join agent_proposals pending on pending.company_id = requested.company_id
      and pending.principal_type = requested.principal_type and pending.principal_id = requested.principal_id
      and pending.state in ('prepared', 'committing')
  `,
)

/** The pending proposals of each principal, in the order of the principals: at most one, in whatever room. It may be past its expiry. */
export async function findPendingProposals(
  db: Executing,
  owners: readonly ProposalOwner[],
): Promise<ProposalRow[][]> {
  const rows = await pendingOfOwners(db, {
    companyIds: owners.map(({ companyId }) => companyId),
    types: owners.map(({ principalType }) => principalType),
    ids: owners.map(({ principalId }) => principalId),
  })
  const byOrdinal = Map.groupBy(rows, ({ ordinal }) => ordinal)
  return owners.map((_, at) => byOrdinal.get(at + 1) ?? [])
}

/** The same for one principal. */
export const listPendingProposals = async (db: Executing, owner: ProposalOwner): Promise<ProposalRow[]> =>
  (await findPendingProposals(db, [owner]))[0] ?? []

/** Moves a proposal and returns whether it was in a state from which that is allowed. */
export async function moveProposal(
  db: Executing,
  { id, company_id: companyId }: Pick<ProposalRow, 'id' | 'company_id'>,
  move: Pick<Transition<State>, 'to' | 'from' | 'through' | 'set'>,
): Promise<boolean> {
  const ends = agentProposalMachine.terminal.includes(move.to)
  const set = { ...move.set, ...(ends && { ended_at: sql`now()` }) }
  const moved = { table: 'agent_proposals', machine: agentProposalMachine, id, companyId } as const
  return (await transition(db, { ...moved, ...move, set })) !== undefined
}

/** Prepared proposals of all companies past their expiry, oldest first. */
export const listExpiredProposals = (
  db: Executing,
  at: Date,
  limit: number,
): Promise<Pick<ProposalRow, 'id' | 'company_id'>[]> =>
  db
    .selectFrom('agent_proposals')
    .modifyFront(acrossCompanies('a sweep of all companies'))
    .select(['id', 'company_id'])
    .where('state', '=', 'prepared')
    .where('expires_at', '<=', at)
    .orderBy('expires_at')
    .limit(limit)
    .execute()

/** Deletes at most `limit` proposals that ended before a time, oldest first. */
export async function deleteEndedProposals(db: Executing, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`${acrossCompanies('a sweep of all companies')}
    delete from agent_proposals where id in (
      select id from agent_proposals where ended_at < ${before} order by ended_at limit ${limit}
      for update skip locked
    )
  `.execute(db)
  return Number(numAffectedRows ?? 0)
}
