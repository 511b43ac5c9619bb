import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import type { HumanTurn, Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { sha256Of } from '../../base/sha256.ts'
import { isDatabaseUnavailable, violates } from '../../db/database.ts'
import { enqueueRun } from '../../runs/submit/enqueue-run.ts'
import type { NewRun } from '../../runs/submit/locked-queues.ts'
import { planRun } from '../../runs/submit/submit-run.ts'
import { requireMenuItem } from '../../tasks/menu/menu-service.ts'
import { AgentError } from '../agent-error.ts'
import type { ProposalDeps } from './prepare-proposal.ts'
import { readReceipt } from './proposal.ts'
import { findProposal, findProposalOfTurn, moveProposal, type ProposalRow } from './proposal-store.ts'

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

/** Refusals of a submission that no later attempt overcomes: the proposal ends as `failed`. */
const finalRefusals = new Set<ErrorCode>([
  'not_found',
  'version_not_runnable',
  'content_scrubbed_irreversible',
  'task_bundle_runner_unsupported',
  'input_schema_violation',
])

/** Commits the proposal of a receipt with the turn of the principal. Throws `AgentError`, or what a submission throws. */
export async function commitReceipt(
  deps: ProposalDeps,
  principal: Principal,
  { turn, receipt }: { turn: HumanTurn; receipt: string },
): Promise<CommittedProposal> {
  const named = readReceipt(deps.signed, receipt, { principal, roomId: turn.roomId })
  const row = await findProposal(deps.db, named)
  if (!row || row.input_digest !== named.inputDigest) throw new AgentError('not_found')
  return commitProposal(deps, principal, { turn, row })
}

/** The same of a proposal that was found to be the principal's. */
export async function commitProposal(
  deps: ProposalDeps,
  principal: Principal,
  { turn, row }: { turn: HumanTurn; row: ProposalRow },
): Promise<CommittedProposal> {
  const replay = await requireCommittable(deps, turn, row)
  if (replay) return replay
  const run = await plan(deps, principal, row)
  const runId = await queue(deps, { turn, row, run })
  if (runId !== undefined) return { kind: 'submitted', proposal: row, runId }
  // Another commit won meanwhile, or the proposal was superseded or cancelled.
  const now = await findProposal(deps.db, { companyId: row.company_id, id: row.id })
  const late = now && (await requireCommittable(deps, turn, now))
  if (!late) throw new AgentError('retryable')
  return late
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
  if (other) throw new AgentError('receipt_reused')
  return undefined
}

/** The run of the proposal's exact bytes, if the task is still on the menu and the principal may still submit it. */
async function plan(deps: ProposalDeps, principal: Principal, row: ProposalRow): Promise<NewRun> {
  if (sha256Of(row.input) !== row.input_digest) throw new AgentError('confirmation_input_unavailable')
  const input = { content: row.input, digest: row.input_digest }
  const address = { chatroomId: row.chatroom_id, versionId: row.task_version_id }
  const body = { task_version_id: row.task_version_id, timeout_seconds: row.timeout_seconds }
  try {
    await requireMenuItem(deps.submit, principal, address)
    return await planRun(
      deps.submit,
      { principal, chatroomId: row.chatroom_id, body, source: 'agent' },
      input,
    )
  } catch (error) {
    if (error instanceof CodedError && finalRefusals.has(error.code)) {
      await moveProposal(deps.db, row, { to: 'failed', through: ['committing'], from: ['prepared'] })
    }
    throw error
  }
}

/** Undefined if the proposal is not prepared any more. */
async function queue(
  { db, submit }: ProposalDeps,
  { turn, row, run }: { turn: HumanTurn; row: ProposalRow; run: NewRun },
): Promise<string | undefined> {
  try {
    return await db.transaction().execute(async (trx) => {
      if (!(await moveProposal(trx, row, { to: 'committing', from: ['prepared'] }))) return undefined
      const { id } = await enqueueRun(trx, submit.policy, run)
      const set = { run_id: id, turn_message_id: turn.messageId }
      if (!(await moveProposal(trx, row, { to: 'committed', set }))) {
        throw new Error('a locked proposal changed its state')
      }
      return id
    })
  } catch (error) {
    if (violates(error, 'agent_proposals_one_commit_a_turn')) throw new AgentError('receipt_reused')
    if (isDatabaseUnavailable(error)) throw new AgentError('retryable')
    throw error
  }
}
