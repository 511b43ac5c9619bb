import { inboxItemsMax } from '@sandbox-jobs/contract/limits.ts'
import type { Inbox, InboxItem } from '@sandbox-jobs/contract/resources/notifications/inbox.ts'
import { may, ownCompany } from '../../access/allow.ts'
import type { Directory } from '../../access/directory/directory.ts'
import type { Principal } from '../../access/principal.ts'
import { type DecideDeps, listProposals } from '../../agents/proposals/decide-proposal.ts'
import type { Database } from '../../db/database.ts'
import { waitingJobs } from '../../tasks/menu/waiting-jobs.ts'
import { listWebhookRows } from '../webhooks/webhook-store.ts'
import { findProposalNames } from './proposal-name-store.ts'

export interface InboxDeps extends DecideDeps {
  db: Database
  directory: Directory
}

/** Everything that waits for a decision of the principal, as it is now; nothing of it is stored. */
export async function readInbox(deps: InboxDeps, principal: Principal): Promise<Inbox> {
  const [proposals, jobs, webhooks] = await Promise.all([
    proposalItems(deps, principal),
    waitingJobs(deps, principal),
    webhookItems(deps, principal),
  ])
  const items = [...proposals, ...[...jobs.items, ...webhooks].sort(bySince)]
  return { items: items.slice(0, inboxItemsMax), count: items.length, is_complete: jobs.isComplete }
}

/** Only proposals end by themselves. */
async function proposalItems(deps: InboxDeps, principal: Principal): Promise<InboxItem[]> {
  const { companyId } = principal
  const proposals = await listProposals(deps, principal)
  return Promise.all(
    proposals.map(async (proposal): Promise<InboxItem> => {
      const { id, chatroom_id, task_id, created_at } = proposal
      const names = await findProposalNames(deps.db, { companyId, chatroomId: chatroom_id, taskId: task_id })
      return {
        kind: 'proposal',
        id: `proposal:${id}`,
        since: created_at,
        path: `/console/inbox/proposals/${id}`,
        chatroom_id,
        task_id,
        ...names,
        proposal,
      }
    }),
  )
}

async function webhookItems({ db }: InboxDeps, principal: Principal): Promise<InboxItem[]> {
  if (!may(principal, 'webhook.manage', ownCompany)) return []
  const rows = await listWebhookRows(db, [principal.companyId])
  return rows.flatMap(({ id, url, paused_at, paused_because }) =>
    paused_at === null || paused_because === null || paused_because === 'manager'
      ? []
      : [
          {
            kind: 'webhook_paused' as const,
            id: `webhook_paused:${id}`,
            since: paused_at.toISOString(),
            path: '/console/company/webhooks',
            webhook_id: id,
            url,
            paused_because,
          },
        ],
  )
}

const bySince = (one: InboxItem, other: InboxItem): number =>
  one.since.localeCompare(other.since) || one.id.localeCompare(other.id)
