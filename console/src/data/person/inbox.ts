import type { NotificationList } from '@sandbox-jobs/contract/resources/notifications/notification.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { api } from '../api/api.ts'
import { apiPages, apiQuery, readAgain } from '../api/queries.ts'
import { isStreamUp } from '../live/held-stream.ts'

const againMs = 20_000
const countedMax = 100

/** Decisions that wait for the person. */
export const inbox = {
  ...apiQuery(allRoutes.readInbox, {}),
  refetchInterval: () => !isStreamUp.get() && againMs,
}

export const proposalOf = (pid: string) => ({
  ...apiQuery(allRoutes.readProposal, { params: { pid } }),
  refetchInterval: () => !isStreamUp.get() && againMs,
})

/** The input of a proposal as it is stored: numbers keep their digits. */
export const inputOfProposal = (pid: string) =>
  queryOptions({
    queryKey: [allRoutes.readProposalInput.path, pid],
    queryFn: async ({ signal }) =>
      (await api.call(allRoutes.readProposalInput, { params: { pid }, signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Notifications, the newest first. */
export const notifications = ({ isUnread }: { isUnread: boolean }) =>
  apiPages(allRoutes.listNotifications, { query: isUnread ? { unread: true } : {} })

/** How many notifications are not read, up to a hundred. */
export const unreadCount = {
  ...apiQuery(allRoutes.listNotifications, { query: { unread: true, page_size: countedMax } }),
  select: ({ items }: NotificationList) => items.length,
}

/** Has all that the inbox shows read again. */
export const readInboxAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [allRoutes.readInbox, allRoutes.readProposal, allRoutes.listNotifications])
