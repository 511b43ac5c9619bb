import { type CatalogueEntry, entry } from './catalogue-entry.ts'

const askAgain = 'Ask the agent to propose the job again.'

/** Jobs that agents propose and people confirm or reject. */
export const proposalErrors = {
  proposal_already_committed: entry(
    409,
    'The proposal already became a run.',
    'Read the proposal: run_id names the run.',
  ),
  proposal_not_pending: entry(409, 'The proposal was rejected, superseded or refused.', askAgain),
  proposal_expired: entry(409, 'The proposal is too old to be confirmed or rejected.', askAgain),
  confirmation_needs_login: entry(
    403,
    'A job is confirmed with a login, not with an API key.',
    'Log in as the person that the job was proposed to, and confirm again.',
  ),
  proposal_input_unavailable: entry(409, 'The stored input of the proposal cannot be read.', askAgain),
} satisfies Record<string, CatalogueEntry>
