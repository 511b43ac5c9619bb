import { ProposalId } from '../identifiers.ts'
import { Proposal, ProposalList } from '../resources/agents/proposal.ts'
import { Strict } from '../schema.ts'
import { extensionPrefix } from './prefixes.ts'
import { route } from './route.ts'
import { queueErrors, versionErrors } from './run-routes.ts'

const proposals = `${extensionPrefix}/proposals` as const
const ProposalParams = Strict({ pid: ProposalId })
const decided = { tag: 'Agents', action: 'proposal.decide', params: ProposalParams } as const
const endedErrors = [
  'not_found',
  'proposal_already_committed',
  'proposal_not_pending',
  'proposal_expired',
] as const

/** Jobs that wait for the confirmation of a person (contract part 3, D6). */
export const proposalRoutes = {
  listProposals: route({
    action: 'proposal.list',
    tag: 'Agents',
    method: 'GET',
    path: proposals,
    summary: 'List the jobs that wait for the confirmation of the caller; a person has at most one',
    description: 'An agent proposed it, and nothing runs until the person confirms it.',
    response: ProposalList,
    errors: [],
  }),
  readProposal: route({
    ...decided,
    method: 'GET',
    path: `${proposals}/{pid}`,
    summary: 'Read a job that an agent proposed to the caller, until a day after its end',
    description: 'The state says whether it waits, became a run, or ended without one.',
    response: Proposal,
    errors: ['not_found'],
  }),
  readProposalInput: route({
    ...decided,
    method: 'GET',
    path: `${proposals}/{pid}/input`,
    summary: 'Read the exact input that a proposed job would run with',
    description:
      'The JSON text as it was stored, at most 1 MiB: the summary of the proposal shows only its start.',
    mediaType: 'application/json',
    errors: ['not_found'],
  }),
  confirmProposal: route({
    ...decided,
    action: 'proposal.confirm',
    method: 'POST',
    path: `${proposals}/{pid}/confirm`,
    summary:
      'Confirm a proposed job with a login: posts a message of the caller in the room and queues the run',
    description: '`run_id` of the answer names the run. A proposal becomes at most one run.',
    response: Proposal,
    errors: [
      ...endedErrors,
      'confirmation_needs_login',
      'proposal_input_unavailable',
      ...versionErrors,
      ...queueErrors,
    ],
  }),
  rejectProposal: route({
    ...decided,
    method: 'POST',
    path: `${proposals}/{pid}/reject`,
    summary: 'Reject a proposed job',
    description: 'It cannot be confirmed from then on.',
    response: Proposal,
    errors: [...endedErrors],
  }),
}
