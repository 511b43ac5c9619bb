import type { ActionOn } from '@sandbox-jobs/contract/access/actions.ts'
import type { Proposal } from '@sandbox-jobs/contract/resources/agents/proposal.ts'
import { authorize } from '../../access/allow.ts'
import type { Room } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import type { Clock } from '../../base/clock.ts'
import { CodedError, notFound } from '../../base/errors/coded-error.ts'
import { AgentError } from '../agent-error.ts'
import { startTurnIn } from '../turns/messages.ts'
import { cancelProposal } from './own-proposals.ts'
import type { ProposalDeps } from './prepare-proposal.ts'
import { findProposal, findProposalInput, type ProposalRow } from './proposal-store.ts'
import { queueProposal } from './queue-proposal.ts'

/*
 * Decisions that a person makes without an agent (contract part 3, D6). A confirmation is a message of the person in the room, and
 * that message is the turn that commits: it is written in the transaction of the run, so what is refused posts nothing.
 */

/** Dependencies of the lists of proposals. */
export type DecideDeps = Pick<ProposalDeps, 'directory' | 'clock' | 'pending'>

/** The jobs that wait for the principal, in rooms that they may enter. */
export async function listProposals(deps: DecideDeps, principal: Principal): Promise<Proposal[]> {
  const shown: Proposal[] = []
  for (const row of await deps.pending.of(principal)) {
    if (await mayEnter(deps, principal, row)) shown.push(render(deps, row))
  }
  return shown
}

/** A proposal of the principal in any state. Throws `not_found`. */
export const readProposal = async (deps: ProposalDeps, principal: Principal, id: string): Promise<Proposal> =>
  render(deps, (await requireOwn(deps, principal, id)).row)

/** The exact bytes that were proposed. Throws `not_found`. */
export async function readProposalInput(
  deps: ProposalDeps,
  principal: Principal,
  id: string,
): Promise<Buffer> {
  const input = await findProposalInput(deps.db, (await requireOwn(deps, principal, id)).row)
  if (!input) throw notFound()
  return input
}

/**
 * Queues the run of a proposal. Throws the code of its state, `confirmation_needs_login` for an API key, or what a submission
 * throws.
 */
export async function confirmProposal(
  deps: ProposalDeps,
  principal: Principal,
  id: string,
): Promise<Proposal> {
  const { row, room } = await requireOwn(deps, principal, id, 'proposal.confirm')
  // An agent may hold a key of its person or a token that they granted it, but not the password.
  if (principal.authMethod !== 'jwt' || principal.isAgent) throw new CodedError('confirmation_needs_login')
  requirePending(deps, row)
  const text = `I confirm the proposed job ${row.id}.`
  const turnOf = (trx: Parameters<typeof startTurnIn>[0]) => startTurnIn(trx, principal, room, text)
  const runId = await queueProposal(deps, principal, { row, turnOf }).catch(asRouteError)
  const now = await requireOwn(deps, principal, id)
  if (runId === undefined) requirePending(deps, now.row)
  return render(deps, now.row)
}

/** Ends a proposal without a run. Throws the code of its state. */
export async function rejectProposal(
  deps: ProposalDeps,
  principal: Principal,
  id: string,
): Promise<Proposal> {
  const { row } = await requireOwn(deps, principal, id)
  requirePending(deps, row)
  const isRejected = await cancelProposal(deps, row)
  const now = await requireOwn(deps, principal, id)
  if (!isRejected) requirePending(deps, now.row)
  return render(deps, now.row)
}

async function requireOwn(
  { db, directory }: ProposalDeps,
  principal: Principal,
  id: string,
  action: ActionOn<'proposal'> = 'proposal.decide',
): Promise<{ row: ProposalRow; room: Room }> {
  const row = await findProposal(db, { companyId: principal.companyId, id })
  if (!row) throw notFound()
  const isOwn = row.principal_type === principal.principalType && row.principal_id === principal.principalId
  authorize(principal, action, { kind: 'proposal', isOwn })
  return { row, room: await directory.requireRoom(principal, 'message.post', row.chatroom_id) }
}

const mayEnter = ({ directory }: DecideDeps, principal: Principal, row: ProposalRow): Promise<boolean> =>
  directory.requireRoom(principal, 'message.post', row.chatroom_id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof CodedError && error.code === 'not_found') return false
      throw error
    },
  )

function requirePending({ clock }: { clock: Clock }, row: ProposalRow): void {
  const state = stateOf(clock, row)
  if (state === 'committed') throw new CodedError('proposal_already_committed')
  if (state === 'expired') throw new CodedError('proposal_expired')
  if (state !== 'prepared') throw new CodedError('proposal_not_pending')
}

/** A proposal past its expiry is expired before the sweep has been there. */
const stateOf = (clock: Clock, row: ProposalRow) =>
  (row.state === 'prepared' && row.expires_at <= clock.now() ? 'expired' : row.state) as Proposal['state']

function asRouteError(error: unknown): never {
  if (error instanceof AgentError) throw new CodedError('proposal_input_unavailable')
  // The proposal exists: what is gone is the task from the menu of its room.
  if (error instanceof CodedError && error.code === 'not_found') throw new CodedError('version_not_runnable')
  throw error
}

const render = ({ clock }: { clock: Clock }, row: ProposalRow): Proposal => ({
  id: row.id,
  chatroom_id: row.chatroom_id,
  task_id: row.task_id,
  task_version_id: row.task_version_id,
  state: stateOf(clock, row),
  summary: row.summary,
  timeout_seconds: row.timeout_seconds,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  run_id: row.run_id,
})
