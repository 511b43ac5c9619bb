import { pageSizeMax } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { refuseCredentials } from '../../access/authentication/authentication.ts'
import type { Principal } from '../../access/principal.ts'
import type { ToolCaller, ToolDeps } from '../../agent-tools/tool.ts'
import { callTool, describeTool, toolsOf } from '../../agent-tools/tools.ts'
import {
  confirmProposal,
  listProposals,
  readProposal,
  readProposalInput,
  rejectProposal,
} from '../../agents/proposals/decide-proposal.ts'
import type { ProposalDeps } from '../../agents/proposals/prepare-proposal.ts'
import { type MessageDeps, postMessage } from '../../agents/turns/messages.ts'
import { notFound } from '../../base/errors/coded-error.ts'
import type { Log } from '../../base/logging.ts'
import type { Mount, MountOptions } from '../mount.ts'
import { untrustedHeaders } from '../responses/send-download.ts'

export interface AgentToolServices extends ToolDeps {
  log: Log
  /** Kill switch: without the sandbox no tool loads. */
  isEnabled: MountOptions['isEnabled']
}

/** The tools over HTTP (contract part 2, "Agent tools"; part 3, D2); `mount` authenticates by the turn context. */
export function mountAgentToolRoutes(mount: Mount, services: AgentToolServices): void {
  mount(allRoutes.listAgentTools, async ({ principal }) => {
    const tools = services.isEnabled() ? await toolsOf(services, callerOf(principal)) : []
    return { items: tools.map(describeTool), page_size: pageSizeMax, next_page_token: null }
  })
  mount(allRoutes.callAgentTool, async ({ principal, params, body }) => {
    const result = await callTool(services, callerOf(principal), { name: params.tool, parameters: body })
    if (!result) throw notFound()
    return result as { status: 'ok' | 'error' }
  })
}

/** Human turns (contract part 3, D2); `mount` authenticates people and gateways. */
export function mountMessageRoutes(mount: Mount, services: MessageDeps): void {
  mount(allRoutes.postMessage, ({ principal, params, body }) =>
    postMessage(services, principal, params.cid, body),
  )
}

/** Decisions of people about jobs that agents proposed (contract part 3, D6). */
export function mountProposalRoutes(mount: Mount, services: ProposalDeps): void {
  mount(allRoutes.listProposals, async ({ principal }) => {
    const items = await listProposals(services, principal)
    return { items, page_size: pageSizeMax, next_page_token: null }
  })
  mount(allRoutes.readProposal, ({ principal, params }) => readProposal(services, principal, params.pid))
  mount(allRoutes.readProposalInput, async ({ principal, params, reply }) => {
    const input = await readProposalInput(services, principal, params.pid)
    return reply.headers({ ...untrustedHeaders, 'content-type': 'application/json' }).send(input)
  })
  mount(allRoutes.confirmProposal, ({ principal, params }) =>
    confirmProposal(services, principal, params.pid),
  )
  mount(allRoutes.rejectProposal, ({ principal, params }) => rejectProposal(services, principal, params.pid))
}

function callerOf(principal: Principal): ToolCaller {
  const { turn } = principal
  if (!turn) throw refuseCredentials()
  return { principal, roomId: turn.roomId, turn }
}
