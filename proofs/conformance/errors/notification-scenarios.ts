import { webhooksPerCompany } from '@sandbox-jobs/contract/limits.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import type { ErrorScenarios } from './error-scenario.ts'

/** Errors of webhooks. */
export const notificationScenarios: ErrorScenarios = {
  webhook_limit: async (context) => {
    const request = { body: { url: 'https://example.org/one-more' } }
    // The seed has made one.
    for (let made = 1; made < webhooksPerCompany; made += 1)
      await context.sendOk('companyManager', allRoutes.createWebhook, request)
    return context.send('companyManager', allRoutes.createWebhook, request)
  },
  webhook_paused: async (context) => {
    const request = { body: { url: 'https://example.org/paused' } }
    const { id } = await context.sendOk('companyManager', allRoutes.createWebhook, request)
    const params = { wid: String(id) }
    await context.sendOk('companyManager', allRoutes.updateWebhook, { params, body: { paused: true } })
    return context.send('companyManager', allRoutes.testWebhook, { params })
  },
}
