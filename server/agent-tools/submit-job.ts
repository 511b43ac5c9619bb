import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import {
  proposalReceiptMaxLength,
  timeoutMaxSeconds,
  timeoutMinSeconds,
} from '@sandbox-jobs/contract/limits.ts'
import { OneOf, Strict } from '@sandbox-jobs/contract/schema.ts'
import { type Static, Type } from 'typebox'
import { AgentError } from '../agents/agent-error.ts'
import { commitReceipt } from '../agents/proposals/commit-proposal.ts'
import { prepareProposal } from '../agents/proposals/prepare-proposal.ts'
import { CodedError } from '../base/errors/coded-error.ts'
import { invalid } from '../base/errors/validation-error.ts'
import { newToken } from '../base/ids.ts'
import { stageInput } from '../base/json/staged-input.ts'
import { submitRun } from '../runs/submit/submit-run.ts'
import { requireMenuItem } from '../tasks/menu/menu-service.ts'
import { committedResult, decidedResult, preparedResult, statusStep } from './proposed-job.ts'
import { type ToolCaller, type ToolDeps, type ToolResult, tool } from './tool.ts'

const Parameters = Strict({
  mode: Type.Enum(['request', 'commit'], {
    type: 'string',
    description: '"request" asks for a job; "commit" starts one that the person has confirmed.',
  }),
  task_version_id: Type.Optional(
    Type.String({ ...Identifier, description: 'With mode "request": task_version_id of a menu item.' }),
  ),
  input: Type.Optional(
    Type.Unknown({ description: 'With mode "request": JSON that fits input_schema of the menu item.' }),
  ),
  timeout_seconds: Type.Optional(
    Type.Integer({
      minimum: timeoutMinSeconds,
      maximum: timeoutMaxSeconds,
      description: 'With mode "request", rarely needed: stop the job after this long.',
    }),
  ),
  proposal_receipt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: proposalReceiptMaxLength,
      description: 'With mode "commit": exactly as a tool returned it.',
    }),
  ),
})
type Parameters = Static<typeof Parameters>

const forbidden = {
  request: ['proposal_receipt'],
  commit: ['task_version_id', 'input', 'timeout_seconds'],
} as const
const required = { request: ['task_version_id', 'input'], commit: ['proposal_receipt'] } as const

/** Both modes of the contract (part 2, "Agent tools"). */
export const submitJob = tool<Parameters>({
  name: 'sandbox_submit_job',
  description:
    'Run a job. mode "request": pass task_version_id and input; the job starts, or you get a summary that the person must confirm. Show them the summary and stop. mode "commit": after the next message of the person confirms it, pass proposal_receipt.',
  annotations: {
    title: 'Run a job',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  parameters: Parameters,
  result: Type.Object({ kind: OneOf(['submitted', 'prepared', 'replay']) }, { additionalProperties: true }),
  call: async (deps, caller, parameters) => {
    checkMode(parameters)
    if (caller.opened) return decidedResult(deps, caller, caller.opened)
    // As for a submission over REST: both modes store new data.
    if (!(await deps.storage.hasSpace())) throw new CodedError('disk_space_low')
    return parameters.mode === 'commit'
      ? commit(deps, caller, parameters.proposal_receipt ?? '')
      : request(deps, caller, parameters)
  },
})

function checkMode(parameters: Parameters): void {
  const given = (field: keyof Parameters) => parameters[field] !== undefined
  const extra = forbidden[parameters.mode].find(given)
  if (extra)
    throw invalid(['body', extra], 'extra_forbidden', `is not allowed with mode "${parameters.mode}"`)
  const missing = required[parameters.mode].find((field) => !given(field))
  if (missing) throw invalid(['body', missing], 'missing', `is required with mode "${parameters.mode}"`)
}

async function request(
  deps: ToolDeps,
  caller: ToolCaller,
  { task_version_id: versionId = '', input: value, timeout_seconds }: Parameters,
): Promise<ToolResult> {
  const { principal, roomId } = caller
  const input = stageInput(value)
  const item = await requireMenuItem(deps.submit, principal, { chatroomId: roomId, versionId })
  if (item.needs_confirmation) {
    const job = { principal, roomId, item, input, timeoutSeconds: timeout_seconds }
    return preparedResult(deps, caller, await prepareProposal(deps, job))
  }
  const body = { task_version_id: versionId, input: value, timeout_seconds: timeout_seconds ?? null }
  const queued = await submitRun(deps.submit, {
    principal,
    chatroomId: roomId,
    body,
    source: 'agent',
    // Two calls are two jobs.
    idempotencyKey: newToken(),
  })
  const run = JSON.parse(queued.text) as Record<string, unknown>
  return {
    kind: 'submitted',
    run_id: run.id,
    submission_source: 'agent',
    task_id: run.task_id,
    task_version_id: run.task_version_id,
    run_status: run.status,
    run,
    next_step: statusStep,
  }
}

async function commit(deps: ToolDeps, { principal, turn }: ToolCaller, receipt: string): Promise<ToolResult> {
  if (!turn)
    throw new AgentError(
      'confirmation_rejected',
      'Only the person confirms here, at the address of the proposal.',
    )
  const { kind, proposal, runId } = await commitReceipt(deps, principal, { turn, receipt })
  if (kind === 'replay') return { kind, run_id: runId, next_step: statusStep }
  return committedResult(proposal, runId)
}
