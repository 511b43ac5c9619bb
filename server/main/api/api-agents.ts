import type { FastifyInstance } from 'fastify'
import type { IdentityProvider } from '../../access/authentication/identity-provider.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { LoginServices } from '../../access/login/login.ts'
import { principalOfAgent } from '../../access/oauth/agent-authentication.ts'
import { ClientDocuments } from '../../access/oauth/client-documents.ts'
import { messageAuthentication, principalOfTurn, turnAuthentication } from '../../access/turns.ts'
import { PendingProposals } from '../../agents/proposals/own-proposals.ts'
import type { AddressRange } from '../../base/addresses/address-range.ts'
import type { Clock } from '../../base/clock.ts'
import type { GuardedOptions } from '../../base/guarded-requests/guarded-request.ts'
import type { Keys } from '../../base/keys/keys.ts'
import type { SignedTokens } from '../../base/keys/signed-tokens.ts'
import type { Log } from '../../base/logging.ts'
import type { PageTokens } from '../../base/page.ts'
import type { OutputPolicyDeps } from '../../custom-tables/policies/output-policies.ts'
import type { Database } from '../../db/database.ts'
import { type MountOptions, mounter } from '../../http/mount.ts'
import { mountAuthorizePages } from '../../http/pages/authorize-routes.ts'
import { mountConfirmPages } from '../../http/pages/confirm-routes.ts'
import { mountAgentToolRoutes, mountMessageRoutes, mountProposalRoutes } from '../../http/routes/agents.ts'
import { mountResourceMetadata, mountServerMetadata } from '../../http/routes/oauth-metadata.ts'
import { mountOAuthTokens } from '../../http/routes/oauth-tokens.ts'
import type { LogUpdates } from '../../live-logs/log-updates.ts'
import { mountMcp } from '../../mcp/mcp-routes.ts'
import { mcpWaitBounds, ToolWaits } from '../../mcp/tool-waits.ts'
import type { RunLookup } from '../../runs/lookup/run-lookup.ts'
import type { QueuePolicy } from '../../runs/queue/queue-policy.ts'
import { SubmissionQueue } from '../../runs/submit/submission-queue.ts'
import { StateWatchers } from '../../state-watch/state-watchers.ts'
import type { ObjectStorage } from '../../storage/port.ts'
import { inputChecker, Runnables } from '../../tasks/menu/runnable.ts'

/** Parts that human turns and agent tools share with the rest of the API. */
interface AgentParts {
  db: Database
  directory: Directory
  clock: Clock
  log: Log
  keys: Keys
  signed: SignedTokens
  pages: PageTokens
  policy: QueuePolicy
  runs: RunLookup
  outputs: OutputPolicyDeps
  storage: ObjectStorage
  logNews: LogUpdates
  login: LoginServices & {
    trustedProxies: readonly AddressRange[]
    /** How documents of clients are fetched; absent: from public addresses. */
    documentFetching?: GuardedOptions | undefined
  }
  /** Issues the tokens of MCP clients in place of this service, if the operator has one. */
  agentIdentityProvider: IdentityProvider | undefined
  /** Where people and clients reach the service. */
  baseUrl: string
}

/** Human turns and agent tools: routes with credentials of their own. */
export function mountAgents(app: FastifyInstance, mounting: MountOptions, parts: AgentParts): void {
  const { db, directory, clock, log, keys, signed, policy, storage } = parts
  const turns = { db, peppers: keys.peppers, clock, signed }
  const byOwnCredentials = mounting.authenticate
  const mountMessages = mounter(app, {
    ...mounting,
    authenticate: messageAuthentication(turns, byOwnCredentials),
  })
  mountMessageRoutes(mountMessages, { db, directory, clock, signed })
  const submit = {
    db,
    directory,
    runnables: new Runnables(db),
    queue: new SubmissionQueue(db, policy),
    policy,
    validateInput: inputChecker(db),
    outputs: parts.outputs,
  }
  const proposals = { db, directory, clock, signed, submit, pending: new PendingProposals({ db, clock }) }
  mountProposalRoutes(mounter(app, mounting), proposals)
  const { authenticate, isEnabled, scheduler, hasSpace } = mounting
  const login = { ...parts.login, authenticate, scheduler }
  mountConfirmPages(app, { ...proposals, ...login, isEnabled, hasSpace })
  const { baseUrl } = parts
  const oauth = { db, clock, signed, oauthKeys: keys.derive('oauth'), baseUrl }
  const { agentIdentityProvider } = parts
  mountResourceMetadata(app, { baseUrl, issuer: agentIdentityProvider?.issuer ?? baseUrl })
  if (!agentIdentityProvider) {
    mountServerMetadata(app, { baseUrl })
    mountOAuthTokens(app, oauth, scheduler)
    const documents = new ClientDocuments({ clock, fetching: parts.login.documentFetching })
    mountAuthorizePages(app, { ...oauth, ...login, directory, documents })
  }
  const read = { db, directory, policy, runs: parts.runs, pages: parts.pages }
  const tools = { ...proposals, read, storage, log, baseUrl }
  const mountTools = mounter(app, { ...mounting, authenticate: turnAuthentication(turns) })
  mountAgentToolRoutes(mountTools, { ...tools, isEnabled })
  const waits = new ToolWaits(new StateWatchers(db, parts.logNews, mcpWaitBounds))
  mountMcp(app, {
    ...mounting,
    services: { ...tools, waits },
    principalOfTurn: (token) => principalOfTurn(turns, token),
    hasOtherIssuer: agentIdentityProvider !== undefined,
    principalOfAgent: (headers, roomId) =>
      principalOfAgent({ ...oauth, agentIdentityProvider }, headers, roomId),
  })
}
