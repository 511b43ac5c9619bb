import type { HumanTurn, Principal } from '../../access/principal.ts'
import { isDatabaseUnavailable, violates } from '../../db/database.ts'
import { AgentError } from '../agent-error.ts'
import type { ProposalDeps } from './prepare-proposal.ts'
import { readReceipt } from './proposal.ts'
import { findProposal, findProposalOfTurn, type ProposalRow } from './proposal-store.ts'
import { queueProposal } from './queue-proposal.ts'

/*
 * A proposal becomes a run by a strictly later message of the same person in the same room (contract part 3, D2). The run,
 * the states `committing` and `committed`, and the turn that won are written in one transaction, so a crash leaves either
 * all of it or a prepared proposal, and of concurrent commits one wins: it holds the row, and the others find it committed.
 * A turn commits one proposal: its message is unique among proposals.
 */

/** `replay`: the same turn had committed the same proposal before. */
export interface CommittedProposal {
  kind: 'submitted' | 'replay'
  proposal: ProposalRow
  runId: string
}

/** Commits the proposal of a receipt with the turn of the principal. Throws `AgentError`, or what a submission throws. */
export async function commitReceipt(
  deps: ProposalDeps,
  principal: Principal,
  { turn, receipt }: { turn: HumanTurn; receipt: string },
): Promise<CommittedProposal> {
  const row = await requireReceipt(deps, { principal, roomId: turn.roomId }, receipt)
  return commitProposal(deps, principal, { turn, row })
}

/** The principal's proposal that a receipt names, in any state. Throws `forged_receipt`, `not_found`. */
export async function requireReceipt(
  { db, signed }: Pick<ProposalDeps, 'db' | 'signed'>,
  by: { principal: Principal; roomId: string },
  receipt: string,
): Promise<ProposalRow> {
  const named = readReceipt(signed, receipt, by)
  const row = await findProposal(db, named)
  if (!row || row.input_digest !== named.inputDigest) throw new AgentError('not_found')
  return row
}

/** The same of a proposal that was found to be the principal's. */
export async function commitProposal(
  deps: ProposalDeps,
  principal: Principal,
  { turn, row }: { turn: HumanTurn; row: ProposalRow },
): Promise<CommittedProposal> {
  if (turn.byKey)
    throw new AgentError('confirmation_rejected', 'Messages that an API key posts confirm nothing.')
  const replay = await requireCommittable(deps, turn, row)
  if (replay) return replay
  const runId = await queueProposal(deps, principal, { row, turnOf: async () => turn }).catch(asToolError)
  if (runId !== undefined) return { kind: 'submitted', proposal: row, runId }
  // Another commit won meanwhile, or the proposal was superseded or cancelled.
  const now = await findProposal(deps.db, { companyId: row.company_id, id: row.id })
  const late = now && (await requireCommittable(deps, turn, now))
  if (!late) throw new AgentError('retryable')
  return late
}

function asToolError(error: unknown): never {
  if (violates(error, 'agent_proposals_one_commit_a_turn')) throw new AgentError('receipt_reused')
  if (isDatabaseUnavailable(error)) throw new AgentError('retryable')
  throw error
}

async function requireCommittable(
  { db, clock }: ProposalDeps,
  turn: HumanTurn,
  row: ProposalRow,
): Promise<CommittedProposal | undefined> {
  if (row.run_id !== null) {
    if (row.turn_message_id !== turn.messageId) throw new AgentError('already_committed')
    return { kind: 'replay', proposal: row, runId: row.run_id }
  }
  if (row.state === 'expired' || row.expires_at <= clock.now()) throw new AgentError('not_found')
  if (row.state !== 'prepared') throw new AgentError('proposal_not_pending')
  if (turn.messageId === row.origin_message_id) throw new AgentError('same_turn')
  if (turn.sequence <= row.origin_sequence) throw new AgentError('not_later')
  const other = await findProposalOfTurn(db, { companyId: row.company_id, messageId: turn.messageId })
  if (!other) return undefined
  // This proposal itself, if another call of the turn has committed it since `row` was read.
  if (other.id !== row.id || other.run_id === null) throw new AgentError('receipt_reused')
  return { kind: 'replay', proposal: other, runId: other.run_id }
}
