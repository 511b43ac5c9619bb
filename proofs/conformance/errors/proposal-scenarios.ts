import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { Caller } from '../world.ts'
import type { ErrorScenarios, ScenarioContext } from './error-scenario.ts'

const decide = (
  context: ScenarioContext,
  route: typeof allRoutes.confirmProposal | typeof allRoutes.rejectProposal,
  caller: Caller = 'member',
) => context.send(caller, route, { params: { pid: context.ids.proposal } })

const change = (context: ScenarioContext, set: { expires_at?: Date; input?: Buffer }) =>
  context.db.updateTable('agent_proposals').set(set).where('id', '=', context.ids.proposal).execute()

/** Errors of jobs that agents proposed. */
export const proposalScenarios: ErrorScenarios = {
  proposal_already_committed: async (context) => {
    await decide(context, allRoutes.confirmProposal)
    return decide(context, allRoutes.confirmProposal)
  },
  proposal_not_pending: async (context) => {
    await decide(context, allRoutes.rejectProposal)
    return decide(context, allRoutes.confirmProposal)
  },
  proposal_expired: async (context) => {
    await change(context, { expires_at: new Date(0) })
    return decide(context, allRoutes.rejectProposal)
  },
  confirmation_needs_login: (context) => decide(context, allRoutes.confirmProposal, 'fullKey'),
  proposal_input_unavailable: async (context) => {
    await change(context, { input: Buffer.from('[]') })
    return decide(context, allRoutes.confirmProposal)
  },
}
