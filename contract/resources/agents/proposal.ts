import { type Static, Type } from 'typebox'
import { Identifier } from '../../ids.ts'
import { listOf } from '../../pagination.ts'
import { DateTime, Nullable, OneOf } from '../../schema.ts'
import { agentProposalStates } from '../../states/agent-proposal-states.ts'

/** A job that an agent proposed to the caller (contract part 3, D2 and D6). */
export const Proposal = Type.Object({
  id: Identifier,
  chatroom_id: Identifier,
  task_id: Identifier,
  task_version_id: Identifier,
  state: OneOf(agentProposalStates),
  /** What a confirmation starts, from the stored bytes: hidden characters are spelled out, and a cut is marked. */
  summary: Type.String(),
  timeout_seconds: Type.Integer(),
  created_at: DateTime,
  /** Until when it can be confirmed or rejected. */
  expires_at: DateTime,
  ended_at: Nullable(DateTime),
  /** The run that it became. */
  run_id: Nullable(Identifier),
})
export type Proposal = Static<typeof Proposal>

export const ProposalList = listOf(Proposal)
export type ProposalList = Static<typeof ProposalList>
