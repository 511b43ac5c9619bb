import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { ChatroomId, ProposalId, RunId, TaskId, TaskVersionId } from '../../identifiers.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf } from '../../schema.ts'
import { agentProposalStates } from '../../states/agent-proposal-states.ts'

/** A job that an agent proposed to the caller (contract part 3, D2 and D6). */
export const Proposal = Type.Object({
  id: ProposalId,
  chatroom_id: ChatroomId,
  task_id: TaskId,
  task_version_id: TaskVersionId,
  state: about(
    'Where the proposal is in its life; only `prepared` waits for the person.',
    OneOf(agentProposalStates),
    'committed',
  ),
  summary: about(
    'The job that a confirmation starts, from the stored bytes. Hidden characters are spelled out, and a cut is marked.',
    Type.String(),
    'Sales report (version 3) with the input {"month":"2026-10"}',
  ),
  timeout_seconds: about('Deadline of the run, in seconds from its start.', Type.Integer(), 1800),
  created_at: about('When it was created.', DateTime),
  expires_at: about('Until when it can be confirmed or rejected.', DateTime),
  ended_at: about('When it ended; null while it waits.', Nullable(DateTime)),
  run_id: about('The run that it became, or null.', Nullable(RunId)),
})
export type Proposal = Static<typeof Proposal>

export const ProposalList = listOf(Proposal)
export type ProposalList = Static<typeof ProposalList>
