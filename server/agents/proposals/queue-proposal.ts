import type { ErrorCode } from '@sandbox-jobs/contract/errors/catalogue.ts'
import { lockAuthority } from '../../access/authentication/lock-authority.ts'
import type { HumanTurn, Principal } from '../../access/principal.ts'
import { CodedError } from '../../base/errors/coded-error.ts'
import { sha256Of } from '../../base/sha256.ts'
import type { Trx } from '../../db/database.ts'
import type { NewRun } from '../../runs/submit/locked-queues.ts'
import { planRun } from '../../runs/submit/submit-run.ts'
import { requireMenuItem } from '../../tasks/menu/menu-service.ts'
import { AgentError } from '../agent-error.ts'
import type { ProposalDeps } from './prepare-proposal.ts'
import { findProposalInput, moveProposal, type ProposalRow } from './proposal-store.ts'

/** Refusals of a submission that no later attempt overcomes: the proposal ends as `failed`. */
const finalRefusals = new Set<ErrorCode>([
  'not_found',
  'version_not_runnable',
  'content_scrubbed_irreversible',
  'task_bundle_runner_unsupported',
  'input_schema_violation',
])

/**
 * Makes a prepared proposal of the principal a run, whoever confirms it: by a tool or by a route. `turnOf` gives the turn
 * that confirms, in the transaction that writes the run and the states. Returns the id of the run, or undefined if the
 * proposal is not prepared any more. Throws what a submission throws, and `AgentError` if the stored input is unreadable.
 */
export async function queueProposal(
  deps: ProposalDeps,
  principal: Principal,
  { row, turnOf }: { row: ProposalRow; turnOf: (trx: Trx) => Promise<HumanTurn> },
): Promise<string | undefined> {
  const run = await plan(deps, principal, row)
  return deps.db.transaction().execute(async (trx) => {
    // The check of the input may have waited for seconds.
    await lockAuthority(trx, principal)
    if (!(await moveProposal(trx, row, { to: 'committing', from: ['prepared'] }))) return undefined
    // Before the queues are locked, for which other companies wait.
    const turn = await turnOf(trx)
    const { id } = await deps.submit.queue.enqueueWithin(trx, run)
    const set = { run_id: id, turn_message_id: turn.messageId }
    if (!(await moveProposal(trx, row, { to: 'committed', set }))) {
      throw new Error('a locked proposal changed its state')
    }
    return id
  })
}

/** The run of the proposal's exact bytes, if the task is still on the menu and the principal may still submit it. */
async function plan(deps: ProposalDeps, principal: Principal, row: ProposalRow): Promise<NewRun> {
  const content = await findProposalInput(deps.db, row)
  if (!content || sha256Of(content) !== row.input_digest)
    throw new AgentError('confirmation_input_unavailable')
  const input = { content, digest: row.input_digest }
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
