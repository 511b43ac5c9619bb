import { catalogPageSizeDefault } from '@sandbox-jobs/contract/limits.ts'
import { pageFields } from '@sandbox-jobs/contract/pagination.ts'
import type { RunDetail } from '@sandbox-jobs/contract/resources/runs/run.ts'
import { Nullable, Strict } from '@sandbox-jobs/contract/schema.ts'
import { type Static, Type } from 'typebox'
import type { HumanTurn } from '../access/principal.ts'
import { receiptOf } from '../agents/proposals/prepare-proposal.ts'
import type { ProposalRow } from '../agents/proposals/proposal.ts'
import { settleAll } from '../base/settle-all.ts'
import { listRoomRuns } from '../runs/read/read-runs.ts'
import { confirmAddress, confirmStep } from './proposed-job.ts'
import { type ToolDeps, tool } from './tool.ts'

const Parameters = Strict(pageFields(catalogPageSizeDefault))

/** Never an output, a log, a secret or an address of a result (contract part 2, "Agent tools"). */
export const submittedJobs = tool<Static<typeof Parameters>>({
  name: 'sandbox_submitted_jobs',
  description:
    'List the proposals of the person that wait for their confirmation, each with a fresh proposal_receipt, and their recent jobs in this chat.',
  annotations: {
    title: 'List submitted jobs',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  parameters: Parameters,
  result: Type.Object({
    proposals: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    runs: Type.Array(Type.Record(Type.String(), Type.Unknown())),
    page_size: Type.Integer(),
    next_page_token: Nullable(Type.String()),
    next_step: Type.String(),
  }),
  call: async (deps, { principal, roomId, turn }, query) => {
    const [{ items, page_size, next_page_token }, proposals] = await settleAll([
      listRoomRuns(deps.read, principal, roomId, {
        page_size: catalogPageSizeDefault,
        ...query,
        own: true,
      }),
      deps.pending.of(principal, roomId),
    ])
    return {
      proposals: proposals.map((row) => renderProposal(deps, row)),
      runs: items.map(renderRun),
      page_size,
      next_page_token,
      next_step: nextStep(turn, proposals.length),
    }
  },
})

const nextStep = (turn: HumanTurn | undefined, proposals: number): string =>
  proposals > 0 ? confirmStep(turn) : 'Call sandbox_job_status with a run_id for the result of a job.'

const renderProposal = (deps: ToolDeps, row: ProposalRow) => ({
  proposal_id: row.id,
  proposal_receipt: receiptOf(deps, row),
  summary: row.summary,
  task_id: row.task_id,
  task_version_id: row.task_version_id,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
  address: confirmAddress(deps, row),
})

const renderRun = (run: RunDetail) => ({
  run_id: run.id,
  run_status: run.status,
  task_id: run.task_id,
  task_version_id: run.task_version_id,
  submission_source: run.submission_source,
  error_code: run.error_code,
  exit_code: run.exit_code,
  queued_at: run.queued_at,
  terminal_at: run.terminal_at,
})
