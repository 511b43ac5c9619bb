import type { HumanTurn } from '../access/principal.ts'
import type { ToolDeps } from './tool.ts'

/** A page where the person confirms or rejects a proposal with their login. */
export const confirmAddress = ({ baseUrl }: Pick<ToolDeps, 'baseUrl'>, { id }: { id: string }): string =>
  `${baseUrl}/confirm/${id}`

/** The next step of an agent after a proposal. Without a turn no later call of it can confirm. */
export const confirmStep = (turn: HumanTurn | undefined): string =>
  turn && !turn.byKey
    ? 'Show the summary to the person and stop. When their next message confirms it, call sandbox_submit_job with mode "commit" and proposal_receipt. They can also confirm at address.'
    : 'Show the summary and the address to the person and stop. Only they can confirm, at the address. Then sandbox_submitted_jobs lists the job.'
