import { Identifier } from '@sandbox-jobs/contract/ids.ts'
import { OneOf, Strict } from '@sandbox-jobs/contract/schema.ts'
import { type Static, Type } from 'typebox'
import { AgentError } from '../agents/agent-error.ts'
import { cancelProposal } from '../agents/proposals/own-proposals.ts'
import { requireOwnRun } from '../runs/lookup/readable-run.ts'
import { cancelReadableRun } from '../runs/read/read-runs.ts'
import { tool } from './tool.ts'

const Parameters = Strict({
  run_id: Type.Optional(Type.String({ ...Identifier, description: 'The job. Without it: the proposal.' })),
})

/** Cancels what the person submitted or has pending; a manager's role widens nothing (contract part 2, "Agent tools"). */
export const cancelJob = tool<Static<typeof Parameters>>({
  name: 'sandbox_cancel_job',
  description:
    "Cancel one of the person's jobs by run_id. Without run_id: withdraw their proposal that waits for confirmation.",
  annotations: {
    title: 'Cancel a job',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  parameters: Parameters,
  result: Type.Object({ kind: OneOf(['cancelled', 'cancel_requested']) }, { additionalProperties: true }),
  call: async (deps, { principal, roomId }, { run_id: runId }) => {
    if (runId === undefined) {
      // In whatever room it was proposed: a person has one at a time.
      const [proposal] = await deps.pending.of(principal)
      if (!proposal || !(await cancelProposal(deps, proposal))) throw new AgentError('proposal_not_pending')
      return { kind: 'cancelled', proposal_id: proposal.id, next_step: 'Tell the person.' }
    }
    const address = { chatroomId: roomId, runId }
    await requireOwnRun(deps.read, principal, 'run.cancel', address)
    const run = await cancelReadableRun(deps.read, principal, address)
    return {
      kind: 'cancel_requested',
      run_id: run.id,
      run_status: run.status,
      next_step: 'Tell the person. sandbox_job_status shows whether the job had already ended.',
    }
  },
})
