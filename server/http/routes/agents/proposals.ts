import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import {
  confirmProposal,
  listProposals,
  readProposal,
  rejectProposal,
} from '../../../agents/proposals/decide-proposal.ts'
import type { ProposalDeps } from '../../../agents/proposals/prepare-proposal.ts'
import type { Mount } from '../../mount.ts'

/** Decisions of people about jobs that agents proposed (contract part 3, D6). */
export function mountProposalRoutes(mount: Mount, services: ProposalDeps): void {
  mount(allRoutes.listProposals, async ({ principal }) => {
    const items = await listProposals(services, principal)
    return { items, page_size: pageSizeMax, next_page_token: null }
  })
  mount(allRoutes.readProposal, ({ principal, params }) => readProposal(services, principal, params.pid))
  mount(allRoutes.confirmProposal, ({ principal, params }) =>
    confirmProposal(services, principal, params.pid),
  )
  mount(allRoutes.rejectProposal, ({ principal, params }) => rejectProposal(services, principal, params.pid))
}
