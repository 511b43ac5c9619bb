import type { HumanTurn } from '../access/principal.ts'
import { AgentError } from '../agents/agent-error.ts'
import { requireReceipt } from '../agents/proposals/commit-proposal.ts'
import { receiptOf } from '../agents/proposals/prepare-proposal.ts'
import type { ProposalRow } from '../agents/proposals/proposal.ts'
import type { OpenedAddress, ToolCaller, ToolDeps, ToolResult } from './tool.ts'

/** Clients give a call about a minute. */
const decisionSeconds = 45

export const statusStep = 'Call sandbox_job_status with run_id for the result.'

/** A job that waits for its person. */
export const preparedResult = (
  deps: ToolDeps,
  { turn }: Pick<ToolCaller, 'turn'>,
  proposal: ProposalRow,
): ToolResult => ({
  kind: 'prepared',
  proposal_id: proposal.id,
  proposal_receipt: receiptOf(deps, proposal),
  summary: proposal.summary,
  requires_confirmation: true,
  task_id: proposal.task_id,
  task_version_id: proposal.task_version_id,
  address: confirmAddress(deps, proposal),
  next_step: confirmStep(turn),
})

/** A proposal that became a run. */
export const committedResult = (proposal: ProposalRow, runId: string): ToolResult => ({
  kind: 'submitted',
  run_id: runId,
  proposal_id: proposal.id,
  submission_source: 'agent',
  task_id: proposal.task_id,
  task_version_id: proposal.task_version_id,
  run_status: 'queued',
  next_step: statusStep,
})

/**
 * The answer to a call that went on after its person was shown the address: it waits for what they decide there. It only
 * reads; the receipt confirms nothing.
 */
export async function decidedResult(
  deps: ToolDeps,
  caller: ToolCaller,
  { receipt, isOpened }: OpenedAddress,
): Promise<ToolResult> {
  const read = async () => {
    const row = await requireReceipt(deps, caller, receipt)
    const hasEnded = row.state !== 'prepared' && row.state !== 'committing'
    return { ...row, hasEnded, progress: 'The person has not decided yet.' }
  }
  const seconds = isOpened ? decisionSeconds : 0
  const row = await (caller.waiting?.untilEnd(read, seconds) ?? read())
  if (row.run_id !== null) return committedResult(row, row.run_id)
  if (row.hasEnded || row.expires_at <= deps.clock.now()) throw new AgentError('proposal_not_pending')
  return preparedResult(deps, caller, row)
}

/** A page where the person confirms or rejects a proposal with their login. */
export const confirmAddress = ({ baseUrl }: Pick<ToolDeps, 'baseUrl'>, { id }: { id: string }): string =>
  `${baseUrl}/confirm/${id}`

/** The next step of an agent after a proposal. Without a turn no later call of it can confirm. */
export const confirmStep = (turn: HumanTurn | undefined): string =>
  turn && !turn.byKey
    ? 'Show the summary to the person and stop. When their next message confirms it, call sandbox_submit_job with mode "commit" and proposal_receipt. They can also confirm at address.'
    : 'Show the summary and the address to the person and stop. Only they can confirm, at the address. Then sandbox_submitted_jobs lists the job.'
