/** Errors of the agent tools (contract part 2, "Agent tool error codes"): what happened, and what the agent does next. */
export const agentToolErrors = {
  unauthorized: 'This is not available to the person you act for. Call sandbox_job_menu to see what is.',
  validation_error: 'The parameters are not valid. Correct them and call the tool again.',
  forged_receipt:
    'This is no receipt of this service. Pass proposal_receipt unchanged, as a tool returned it.',
  not_found:
    'The receipt is expired or is not of this person and room. Call sandbox_submitted_jobs for a fresh receipt.',
  confirmation_rejected: 'The confirmation was refused. Ask the person to confirm in a new message.',
  already_committed: 'The proposal already became a run. Call sandbox_submitted_jobs to find it.',
  proposal_not_pending: 'There is no pending proposal. Propose the job again with mode "request".',
  same_turn:
    'The person has not answered since the proposal. Show them the summary and wait for their next message.',
  not_later: 'The message is not later than the proposal. Wait for the next message of the person.',
  receipt_reused: 'This message already confirmed another proposal. Wait for the next message of the person.',
  retryable:
    'The commit did not complete and nothing was submitted. Call the tool again with the same receipt.',
  confirmation_input_unavailable:
    'The stored input of the proposal cannot be read now and nothing was submitted. Try the same receipt later.',
  // A submission whose acknowledgement was lost may have been queued.
  provider_unavailable:
    'The service cannot do this now. Try again later; before you submit again, look with sandbox_submitted_jobs whether the job was queued.',
  internal_error: 'The service failed. Try again later.',
} as const

export type AgentToolErrorCode = keyof typeof agentToolErrors
