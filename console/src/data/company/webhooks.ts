import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { QueryClient } from '@tanstack/react-query'
import { apiPages, apiQuery, readAgain } from '../api/queries.ts'

export const webhooks = apiQuery(allRoutes.listWebhooks, {})

export const webhookOf = (wid: string) => apiQuery(allRoutes.readWebhook, { params: { wid } })

export const deliveriesOf = (wid: string) => apiPages(allRoutes.listWebhookDeliveries, { params: { wid } })

/** Has all that shows webhooks read again, and the inbox, which names those that are paused. */
export const readWebhooksAgain = (queries: QueryClient): Promise<void> =>
  readAgain(queries, [
    allRoutes.listWebhooks,
    allRoutes.readWebhook,
    allRoutes.listWebhookDeliveries,
    allRoutes.readInbox,
  ])
